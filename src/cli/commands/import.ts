import type { Command } from 'commander';
import { ACCOUNT_DEFAULTS, ASSUMPTIONS, isValueOf, loweredCount } from '../../domain/assumptions.ts';
import { availability, BLOCK_REASONS, type BlockReason, REASON_SETTINGS } from '../../domain/availability.ts';
import { codeOf } from '../../domain/error-code.ts';
import { fileReason } from '../../domain/file-error.ts';
import { given } from '../../domain/given.ts';
import { isRecord } from '../../domain/json.ts';
import { counted } from '../../domain/text.ts';
import { getSettings, updateSettings } from '../../operations/settings.ts';
import type {
  LayawayAvailability,
  MerchantConfiguration,
  Platform,
  PlatformUpdate,
  Settings,
  SettingsUpdate,
} from '../../operations/wire.ts';
import { getPlatform, updatePlatform } from '../../operations/workspace.ts';
import { type Cli, run } from '../command.ts';
import { describe } from '../describe.ts';
import { failure, Refused, usage } from '../exit.ts';
import { notEmpty } from '../input/arguments.ts';
import { pasted } from '../input/shell-quoted.ts';
import type { SecondServer } from '../server/second-server.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeWhole } from '../whole-file.ts';

export default function importService(command: Command) {
  describe(
    command,
    'Set the names, terms and availability that the real service shows for a merchant.',
    'layaway import --from real --dry-run',
    'Reads /v1/ping and /v1/config with a sandbox pair, and changes nothing there.',
  )
    .option('--from <profile|url>', 'the service, by the name of a profile or by its URL (required)')
    .option('--dry-run', 'show old and new values; change nothing')
    .option('--fixture <file>', 'write the values into a new fixture file instead; needs no running server', notEmpty)
    .action(
      run(async (cli: Cli, { from, dryRun = false, fixture }: Flags) => {
        const { askedSecondServer } = await import('../server/second-server.ts');
        const service = await askedSecondServer('--from', from);
        const shown = await withProgress('Reading', readService(cli, service));
        if (fixture !== undefined) return writeFixture(cli, shown, { file: fixture, from: service.baseUrl, dryRun });
        await change(cli, shown, { from: service.baseUrl, dryRun });
      }),
    );
}

interface Flags {
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly fixture?: string;
}

type Name = keyof typeof ASSUMPTIONS;
type Values = SettingsUpdate & Pick<PlatformUpdate, 'disabled'>;

/** What the service shows, under the names of the assumptions. */
interface Shown {
  readonly values: Values;
  readonly layaway: LayawayAvailability;
}

/** @throws CommandError when it cannot be reached, refuses the pair or is not the service */
async function readService({ out }: Cli, service: SecondServer): Promise<Shown> {
  const { notTheService, read, readConfig } = await import('../server/second-server.ts');
  const ping = (await read(service, '/v1/ping', out.note)) as Partial<MerchantConfiguration['merchant']>;
  const config = (await readConfig(service, out.note)) as unknown as MerchantConfiguration;
  const { terms, layaway, session_ttl_minutes } = config;
  if (!isRecord(layaway)) throw notTheService(service, 'its response to GET /v1/config has no availability');
  const { min_order_amount, max_order_amount, down_payment_percentage } = terms;
  const { legal_name, dba } = ping;
  const values = {
    legal_name,
    dba,
    min_order_amount,
    max_order_amount,
    down_payment_percentage,
    session_ttl_minutes,
    ...switchesOf(layaway),
  };
  const { available, reason } = layaway;
  if (!available && !isBlockReason(reason)) {
    out.note(`The service is unavailable for the reason ${reason}, which layaway does not know: set it yourself.`);
  }
  return { values: given(values), layaway };
}

/** A newer service may have others. */
const isBlockReason = (reason: string | null) => BLOCK_REASONS.some((known) => known === reason);

/**
 * The switches that give an account the same availability. The answer names the first reason of several, so those after
 * it are left out.
 */
function switchesOf({ available, reason }: LayawayAvailability): Values {
  const shown = available ? BLOCK_REASONS : BLOCK_REASONS.slice(0, BLOCK_REASONS.indexOf(reason as BlockReason) + 1);
  return Object.fromEntries(
    shown.flatMap((each) => {
      if (!Object.hasOwn(REASON_SETTINGS, each)) return [];
      const { name, value } = REASON_SETTINGS[each as keyof typeof REASON_SETTINGS];
      return [[name, each === reason ? value : !value]];
    }),
  );
}

/** With fewer installments, where the minimum does not allow the present number. No answer shows how many the service has. */
function allowed(values: Values, installmentCount: number, note: (text: string) => void): Values {
  const { min_order_amount: min } = values;
  const count = typeof min === 'number' ? loweredCount(min, installmentCount) : null;
  if (count === null) return values;
  note(`installment_count is lowered to ${count}: min_order_amount ${min} allows no more.`);
  return { ...values, installment_count: count };
}

const isPlatform = (name: string) => ASSUMPTIONS[name as Name].scope === 'platform';
function byScope(values: Values): { readonly platform: Values; readonly account: Values } {
  const entries = Object.entries(values);
  return {
    platform: Object.fromEntries(entries.filter(([name]) => isPlatform(name))),
    account: Object.fromEntries(entries.filter(([name]) => !isPlatform(name))),
  };
}

async function change(
  { client, out }: Cli,
  { values: shown, layaway }: Shown,
  { from, dryRun }: { readonly from: string; readonly dryRun: boolean },
) {
  const settings = (await client.call(getSettings)).body.data;
  const values = allowed(shown, settings.installment_count, out.note);
  const { controlToken } = await client.address();
  const platform = controlToken === null ? null : (await client.call(getPlatform)).body.data;
  const current: Values = { ...settings, ...platform };
  const changes = Object.entries(values)
    .filter(([name]) => Object.hasOwn(current, name))
    .map(([name, value]) => ({ name, old: current[name as keyof Values], new: value }))
    .filter((one) => one.old !== one.new);

  const changed: Values = Object.fromEntries(changes.map((one) => [one.name, one.new]));
  if (!out.json) tell();
  if (!dryRun) await apply();
  if (out.json) out.document(JSON.stringify({ data: { changes, applied: !dryRun && changes.length > 0 } }));
  else if (changes.length > 0)
    out.note(dryRun ? 'Nothing was changed.' : `Changed ${counted(changes.length, 'value')}.`);
  if (controlToken === null && Object.keys(values).some(isPlatform))
    out.note('Platform values need the control token of the server and were left as they are.');
  const here = offered({ ...settings, ...changed }, { ...platform, ...changed });
  const note = noteOnState(layaway, here, settings.state);
  if (note !== null) out.note(note);

  function tell() {
    if (changes.length === 0) return out.line('Nothing to change.');
    const text = (value: unknown) => (value === null ? '(none)' : String(value));
    out.table(
      [{ title: 'NAME' }, { title: 'OLD', shrinks: true }, { title: 'NEW', shrinks: true, paint: out.paint.bold }],
      changes.map((one) => [one.name, text(one.old), text(one.new)]),
    );
  }

  async function apply() {
    const { account, platform } = byScope(changed);
    if (Object.keys(account).length > 0)
      await client.call(updateSettings, { body: account }).catch((error) => {
        throw refused(error, from);
      });
    if (Object.keys(platform).length > 0) await client.call(updatePlatform, { body: platform });
  }
}

/** Why this server would not sell, as far as is known: without its control token, only the settings are. */
function offered(settings: Settings, platform: Partial<Platform>): BlockReason | null {
  const { layaway_enabled, layaway_activated, layaway_overridden, excluded_states, state } = settings;
  return availability(
    { disabled: platform.disabled ?? false, unavailable_states: platform.unavailable_states ?? [] },
    {
      layawayEnabled: layaway_enabled,
      layawayActivated: layaway_activated,
      layawayOverridden: layaway_overridden,
      excludedStates: excluded_states,
    },
    state,
  ).reason;
}

const STATE_SETTINGS: Readonly<Record<string, string>> = {
  state_unavailable: 'unavailable_states',
  state_excluded: 'excluded_states',
};

/** What only the merchant's state explains, which no answer of the service shows. `here` is what this server answers. */
function noteOnState({ available, reason }: LayawayAvailability, here: BlockReason | null, state = ''): string | null {
  if (reason === here) return null;
  const ofService = STATE_SETTINGS[String(reason)];
  if (ofService !== undefined)
    return `The service returns ${reason}, which depends on the merchant's state: set state and ${ofService} yourself.`;
  const ofHere = STATE_SETTINGS[String(here)];
  if (ofHere === undefined || !(available || isBlockReason(reason))) return null;
  return `This server still returns ${here}, unlike the service, for the merchant's state ${state}: set state and ${ofHere} yourself.`;
}

/** What the service shows is not always within the limits of the settings here. */
function refused(error: unknown, from: string) {
  if (!(error instanceof Refused) || error.status !== 422) return error;
  const advice = `${from} shows values that this server does not accept, so nothing was changed. Set the other values with \`layaway assumptions set <name> <value>\`.`;
  return new Refused(error.status, error.body, `${error.message}\n${advice}`);
}

/** Without the values that no server of ours would start with. */
function acceptable(values: Values, from: string, note: (text: string) => void): Values {
  const isAccepted = ([name, value]: readonly [string, unknown]) => isValueOf(ASSUMPTIONS[name as Name], value);
  const shown = Object.entries(values);
  for (const [name, value] of shown.filter((one) => !isAccepted(one))) {
    note(
      `${name} is left out: ${from} shows ${JSON.stringify(value)}, which layaway does not accept.${boundsOf(name)}`,
    );
  }
  return Object.fromEntries(shown.filter(isAccepted));
}

function boundsOf(name: string): string {
  const assumption = ASSUMPTIONS[name as Name];
  return assumption.kind === 'integer' ? ` It takes ${assumption.min} to ${assumption.max}.` : '';
}

async function writeFixture(
  { out }: Cli,
  { values: shown, layaway }: Shown,
  { file, from, dryRun }: { readonly file: string; readonly from: string; readonly dryRun: boolean },
) {
  const { stringify } = await import('yaml');
  const values = allowed(acceptable(shown, from, out.note), ACCOUNT_DEFAULTS.installment_count, out.note);
  const note = noteOnState(layaway, null);
  if (note !== null) out.note(note);
  const { account, platform } = byScope(values);
  const content = {
    settings: account,
    ...(Object.keys(platform).length > 0 ? { platform } : {}),
  };
  const text = `# What ${from} showed of the merchant: layaway serve --fixture ${pasted(file)}\n${stringify(content)}`;
  if (dryRun) {
    if (out.json) return out.document(JSON.stringify({ data: content }));
    for (const line of text.trimEnd().split('\n')) out.line(line);
    return;
  }
  try {
    await writeWhole(file, text, { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw usage(`--fixture: ${file} exists. Choose another name, or delete the file first.`);
    throw failure(`The fixture could not be written to ${file} (${fileReason(error)}).`, error);
  }
  if (out.json) out.document(JSON.stringify({ data: { file, ...content } }));
  else out.note(`Wrote ${file}. Start with it: layaway serve --fixture ${pasted(file)}`);
}
