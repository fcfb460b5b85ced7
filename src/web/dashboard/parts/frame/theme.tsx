import { useState } from 'preact/hooks';
import { keep, recall } from '../stored.ts';

const STORED = 'layaway-theme';
export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const chosen = (): Theme => THEMES.find((theme) => theme === recall(STORED)) ?? 'system';

/** Without `data-theme`, the style sheet follows the system. */
function apply(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const restoreTheme = () => apply(chosen());

export function setTheme(theme: Theme) {
  keep(STORED, theme === 'system' ? null : theme);
  apply(theme);
}

export function ThemeChoice() {
  const [theme, set] = useState(chosen);
  return (
    <label class="theme">
      Theme{' '}
      <select
        value={theme}
        onChange={(event) => {
          const next = event.currentTarget.value as Theme;
          setTheme(next);
          set(next);
        }}
      >
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
