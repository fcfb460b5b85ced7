import type { ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { SCOPES, type Scope } from '../../../domain/scope.ts';
import { browseAssumptions } from '../../../operations/browse.ts';
import { createKey, listKeys, revokeKey } from '../../../operations/keys.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import { getSettings, updateSettings } from '../../../operations/settings.ts';
import type { ApiKey, AssumptionLine } from '../../../operations/wire.ts';
import { getPlatform, updatePlatform } from '../../../operations/workspace.ts';
import { askedFor } from '../ask.ts';
import { onceWith, type Read, useRead } from '../live.ts';
import { Field, TextField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { isSame, useDraft } from '../parts/levers/draft.ts';
import { Fields } from '../parts/levers/errors.tsx';
import { Form, Lever, leverOf } from '../parts/levers/levers.tsx';
import { Secret, useToldOnce } from '../parts/levers/secret.tsx';
import { stepOf } from '../parts/levers/snippets.ts';
import { Table } from '../parts/lists/table.tsx';
import { Shown } from '../parts/shown.tsx';
import { Badge, Empty, Moment, Page, Panel } from '../parts/ui.tsx';
import { isolated, numberIn, spaced } from '../words.ts';

/** Labels of settings whose name in the API is hard to understand. */
const LABELS: Readonly<Record<string, string>> = {
  dba: 'Store name',
  session_ttl_minutes: 'Session lifetime (minutes)',
};

type Values = Readonly<Record<string, unknown>>;
const NONE: Values = {};

/** The assumptions by group, in the order in which the groups first appear. */
function grouped(known: readonly AssumptionLine[]): [title: string, of: AssumptionLine[]][] {
  const groups = new Map<string, AssumptionLine[]>();
  for (const each of known) {
    if (each.group !== undefined) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  }
  return [...groups];
}

export function SettingsView() {
  const settings = useRead(getSettings);
  const platform = useRead(getPlatform);
  const assumptions = useRead(browseAssumptions);
  const keys = useRead(listKeys, WHOLE_LIST);
  return (
    <Page
      title="Settings"
      lead="Settings of this account. Open checkouts and plans keep the terms that they started with. Collection settings apply to plans under way, too; a wait that has begun keeps its length."
    >
      <Shown of={onceWith(assumptions, settings, platform, keys)}>
        {(known) => (
          <>
            {grouped(known).map(([title, of]) => {
              const isPlatform = of[0]?.scope === 'platform';
              const read = (isPlatform ? platform : settings) as unknown as Read<Values>;
              return (
                <Shown key={title} of={read}>
                  {(values) => (
                    <Group
                      title={title}
                      of={of}
                      values={values}
                      put={read.put}
                      update={isPlatform ? updatePlatform : updateSettings}
                    />
                  )}
                </Shown>
              );
            })}
            <Keys read={keys} />
            <Assumptions known={known} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Group({
  title,
  of,
  values,
  put,
  update,
}: {
  title: string;
  of: readonly AssumptionLine[];
  values: Values;
  put: (saved: Values) => void;
  update: typeof updateSettings | typeof updatePlatform;
}) {
  const isPlatform = update === updatePlatform;
  const [edited, setEdited] = useDraft<Values>(`${isPlatform ? 'platform' : askedFor()} settings ${title}`, NONE);
  const changed = Object.keys(edited).filter((name) => !isSame(edited[name], values[name]));
  const changes = Object.fromEntries(changed.map((name) => [name, edited[name]]));
  const told = (answer: unknown) => {
    const saved = answer as Values;
    put(saved);
    // What was edited while it was saved stays.
    setEdited((now) => {
      const left = Object.entries(now).filter(
        ([name, value]) => !isSame(value, changes[name]) && !isSame(value, saved[name]),
      );
      return left.length === 0 ? NONE : Object.fromEntries(left);
    });
    return 'Saved.';
  };
  return (
    <Fields>
      {({ clearAll }) => (
        <Panel title={title}>
          <form noValidate onSubmit={(event) => event.preventDefault()}>
            <div class="settings">
              {of.map((assumption) => (
                <Setting
                  key={assumption.name}
                  of={assumption}
                  value={assumption.name in edited ? edited[assumption.name] : values[assumption.name]}
                  set={(value) => setEdited({ ...edited, [assumption.name]: value })}
                />
              ))}
            </div>
            {changed.length > 0 && (
              <div class="actions start">
                <Lever
                  kind="strong"
                  submits
                  {...leverOf(update, told, { body: changes })}
                  step={stepOf(isPlatform ? 'platform' : 'settings', changes)}
                >
                  Save changes
                </Lever>
                <button
                  type="button"
                  onClick={() => {
                    setEdited(NONE);
                    clearAll();
                  }}
                >
                  Discard
                </button>
                <span class="soft">Not saved yet</span>
              </div>
            )}
          </form>
        </Panel>
      )}
    </Fields>
  );
}

function Setting({ of, value, set }: { of: AssumptionLine; value: unknown; set: (value: unknown) => void }) {
  const { name, kind, note, completes, min, max, values, nullable } = of;
  const isDefault = isSame(value, of.default);
  const hint: ComponentChildren = (
    <>
      {note} <span class="section">{completes}</span>
      {!isDefault && <span class="changed"> default {JSON.stringify(of.default)}</span>}
    </>
  );
  return (
    <Field label={LABELS[name] ?? spaced(name)} name={name} hint={hint} cents={name.endsWith('_amount')}>
      {(id, hintId) => {
        const shared = { id, 'aria-describedby': hintId };
        switch (kind) {
          case 'boolean':
            return (
              <select {...shared} value={String(value)} onChange={(e) => set(e.currentTarget.value === 'true')}>
                <option value="true">true</option>
                <option value="false">false</option>
              </select>
            );
          case 'choice':
            return (
              <select {...shared} value={String(value)} onChange={(e) => set(e.currentTarget.value)}>
                {values?.map((each) => (
                  <option key={each} value={each}>
                    {spaced(each)}
                  </option>
                ))}
              </select>
            );
          case 'integer':
            return (
              <input
                {...shared}
                type="number"
                inputMode="numeric"
                min={min}
                max={max}
                value={String(value)}
                onInput={(e) => set(e.currentTarget.value === '' ? '' : Number(e.currentTarget.value))}
              />
            );
          case 'states':
          case 'seconds':
            return <ListInput {...shared} value={value as readonly unknown[]} numeric={kind === 'seconds'} set={set} />;
          default:
            return (
              <input
                {...shared}
                value={value === null ? '' : String(value)}
                onInput={(e) => set(nullable && e.currentTarget.value === '' ? null : e.currentTarget.value)}
              />
            );
        }
      }}
    </Field>
  );
}

/** Keeps the text as typed until the field loses focus, so that the user can type a comma before the next word. */
function ListInput({
  value,
  numeric,
  set,
  ...rest
}: {
  id: string;
  'aria-describedby': string | undefined;
  value: readonly unknown[];
  numeric: boolean;
  set: (value: unknown) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const type = (text: string) => {
    setTyped(text);
    const words = text.split(/[\s,]+/).filter((word) => word !== '');
    set(numeric ? words.map(numberIn) : words.map((word) => word.toUpperCase()));
  };
  return (
    <input
      {...rest}
      value={typed ?? value.join(', ')}
      placeholder={numeric ? '0, 5, 300' : 'none'}
      onInput={(event) => type(event.currentTarget.value)}
      onBlur={() => setTyped(null)}
    />
  );
}

function Keys({ read }: { read: Read<readonly ApiKey[]> }) {
  const { account } = useContext(Here);
  const [made, setMade] = useToldOnce<{ id: string; name: string; key: string }>('key', read.data);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(SCOPES);
  const body = { scopes, ...(name === '' ? {} : { name }) };
  const show = ({ id, name: given, key }: ApiKey) => {
    if (key !== undefined) setMade({ id, name: given, key });
    setName('');
    return null;
  };
  return (
    <Panel title="API keys" flush>
      <p class="note">
        Client id <code class="long-id">{account.client_id}</code>
      </p>
      {made && (
        <Secret
          key={made.key}
          name={`API key “${isolated(made.name)}”`}
          value={made.key}
          hint="It is shown only once. Copy it now."
          close={() => setMade(null)}
        />
      )}
      <Shown of={read}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty run="layaway keys create">This account has no key. Create one below, or run:</Empty>
          ) : (
            <Table label="API keys" heads={['Key', 'Name', 'Scopes', 'Created', 'State', ['Levers', 'unseen']]}>
              {keys.map((key) => (
                <tr key={key.id}>
                  <td>
                    <code>{key.key_prefix}…</code>
                  </td>
                  <td class="wide">
                    <bdi>{key.name}</bdi>
                  </td>
                  <td class="wide">{key.scopes.length === SCOPES.length ? 'all' : key.scopes.join(', ')}</td>
                  <td class="when">
                    <Moment at={key.created_at} />
                  </td>
                  <td>
                    <Badge of={key.revoked_at === null ? 'enabled' : 'disabled'}>
                      {key.revoked_at === null ? 'valid' : 'revoked'}
                    </Badge>
                  </td>
                  <td class="levers">
                    {key.revoked_at === null && (
                      <Lever
                        kind="danger"
                        {...leverOf(revokeKey, `${key.key_prefix}… is revoked.`, { params: { id: key.id } })}
                        confirm={`Requests with ${key.key_prefix}… get 401 from now on. This cannot be undone.`}
                      >
                        Revoke
                      </Lever>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <Form>
        <TextField label="Name of a new key" name="name" maxLength={100} value={name} set={setName} />
        <fieldset>
          <legend>Scopes</legend>
          {SCOPES.map((scope) => (
            <label key={scope} class="check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) =>
                  setScopes(SCOPES.filter((s) => (s === scope ? event.currentTarget.checked : scopes.includes(s))))
                }
              />{' '}
              {scope}
            </label>
          ))}
        </fieldset>
        <Lever kind="strong" submits disabled={scopes.length === 0} {...leverOf(createKey, show, { body })}>
          Create key
        </Lever>
      </Form>
    </Panel>
  );
}

function Assumptions({ known }: { known: readonly AssumptionLine[] }) {
  return (
    <Panel title="Assumptions" flush>
      <p class="note">
        The service description leaves these values open. “Completes” names the section that each one completes.
      </p>
      <Table label="Assumptions" heads={['Name', 'Default', 'Completes', 'Scope', 'Description']}>
        {known.map(({ name, default: value, completes, scope, note }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <code>{JSON.stringify(value)}</code>
            </td>
            <td>{completes}</td>
            <td>{scope}</td>
            <td class="wide">{note}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
