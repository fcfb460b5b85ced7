import { ASSUMPTIONS, type Assumption } from '../src/domain/assumptions.ts';

/** The README's table of assumptions: the values that the service description leaves open. */
export function assumptionTable(): string {
  const lines = Object.entries<Assumption>(ASSUMPTIONS).map(([name, { default: value, completes, scope, note }]) => {
    const shown = Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
    return `| \`${name}\` | ${shown} | ${completes} | ${scope} | ${note} |`;
  });
  return ['| name | default | completes | applies to | note |', '|---|---|---|---|---|', ...lines].join('\n');
}
