import { useState } from 'preact/hooks';
import { explain } from '../../../../operations/explain.ts';
import { useRead } from '../../live.ts';
import { callOf } from '../levers/clip.ts';
import { CopyAs } from '../levers/levers.tsx';
import { hasPage, Id } from '../link-to.tsx';
import { Moment, Panel, Shown } from '../ui.tsx';

/** Why something is as it is. It includes a forecast, so it is read only on request. */
export function Explained({ id }: { id: string }) {
  const [isOpen, open] = useState(false);
  return (
    <Panel
      title="Why?"
      testId="explain"
      aside={
        <CopyAs name="the explanation" curl={callOf(explain, { params: { id } })} command={`layaway explain '${id}'`} />
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
          <p>{summary}</p>
          <ol class="chain">
            {chain.map((link, place) => (
              <li key={place}>
                <Moment at={link.at} />
                <div>
                  <strong>{link.what}</strong>{' '}
                  <span class="because">
                    {link.because}
                    {link.section && ` (${link.section})`} {link.id && hasPage(link.id) && <Id of={link.id} short />}
                  </span>
                </div>
              </li>
            ))}
          </ol>
          {ahead.length > 0 && (
            <>
              <h3>What lies ahead</h3>
              <ol class="chain">
                {ahead.map((each, place) => (
                  <li key={place}>
                    <Moment at={each.at} />
                    <div>
                      <strong>{each.what}</strong> <span class="because">unless {each.unless}</span>
                    </div>
                  </li>
                ))}
              </ol>
            </>
          )}
        </>
      )}
    </Shown>
  );
}
