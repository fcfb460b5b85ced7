import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { reasons } from '../../../../domain/explain/reasons.ts';
import { explain } from '../../../../operations/explain.ts';
import type { Explanation } from '../../../../operations/wire.ts';
import { useRead } from '../../live.ts';
import { CopyAs } from '../levers/levers.tsx';
import { quoted } from '../levers/quoted.ts';
import { callOf } from '../levers/snippets.ts';
import { hasPage, Id } from '../link-to.tsx';
import { Shown } from '../shown.tsx';
import { Moment, Panel, WithCommands } from '../ui.tsx';

/** Why something is as it is. It includes a forecast, so it is read only on request. */
export function Explained({ id }: { id: string }) {
  // The entry of the history keeps it, so that going back shows it again.
  const [isOpen, open] = useState(history.state?.isExplained === true);
  useLayoutEffect(() => history.replaceState({ isExplained: isOpen }, ''), [id, isOpen]);
  return (
    <Panel
      title="Why?"
      testId="explain"
      aside={
        <CopyAs
          name="the explanation"
          curl={callOf(explain, { params: { id } })}
          command={`layaway explain ${quoted(id)}`}
        />
      }
    >
      <div>
        <button type="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {isOpen ? 'Hide the explanation' : 'Explain'}
        </button>
      </div>
      {isOpen && <Told id={id} />}
    </Panel>
  );
}

function Told({ id }: { id: string }) {
  const read = useRead(explain, { params: { id } });
  return (
    <Shown of={read}>
      {({ summary, chain, ahead }) => (
        <>
          <p>
            <WithCommands text={summary} />
          </p>
          <Chain of={chain} unless={id} />
          {ahead.length > 0 && (
            <>
              <h3>What lies ahead</h3>
              <Steps
                of={ahead}
                saying={({ unless }) => (
                  <>
                    unless <WithCommands text={unless} />
                  </>
                )}
              />
            </>
          )}
        </>
      )}
    </Shown>
  );
}

function Chain({ of: chain, unless }: { of: Explanation['chain']; unless: string }) {
  const because = reasons(chain);
  return (
    <Steps
      of={chain}
      saying={({ section, id }, place) => (
        <>
          <WithCommands text={because[place] ?? ''} />
          {section && ` (${section})`} <Named of={id} unless={unless} />
        </>
      )}
    />
  );
}

interface StepsProps<Step> {
  readonly of: readonly Step[];
  readonly saying: (step: Step, place: number) => ComponentChildren;
}

/** What happened or comes next, one after the other, with what there is to say of each. */
function Steps<Step extends { readonly at: string; readonly what: string }>({ of: steps, saying }: StepsProps<Step>) {
  return (
    <ol class="chain">
      {steps.map((step, place) => (
        <li key={place}>
          <Moment at={step.at} />
          <div>
            <strong>{step.what}</strong> <span class="because">{saying(step, place)}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** The id of a link of the chain. One without a page, such as that of a lever, is text: other links refer to it. */
function Named({ of, unless }: { of: string | null; unless: string }) {
  if (of === null) return null;
  if (hasPage(of)) return <Id of={of} short />;
  return of === unless ? null : <code>{of}</code>;
}
