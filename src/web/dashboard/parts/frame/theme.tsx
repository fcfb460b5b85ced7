import { useEffect, useState } from 'preact/hooks';
import { keep, recall } from '../stored.ts';

const STORED = 'layaway-theme';
export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const chosen = (): Theme => THEMES.find((theme) => theme === recall(STORED)) ?? 'system';

/** A page has several fields for the theme; each shows what was chosen in another, or in the search. */
const fields = new Set<(theme: Theme) => void>();

/** Without `data-theme`, the style sheet follows the system. */
function apply(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const restoreTheme = () => apply(chosen());

export function setTheme(theme: Theme) {
  keep(STORED, theme === 'system' ? null : theme);
  apply(theme);
  for (const show of fields) show(theme);
}

export function ThemeChoice() {
  const [theme, show] = useState(chosen);
  useEffect(() => {
    fields.add(show);
    return () => void fields.delete(show);
  }, []);
  return (
    <label class="theme">
      Theme{' '}
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
