import { shared } from '../../shared.ts';
import { keep, recall } from '../stored.ts';

const STORED = 'layaway-theme';
export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** Shared, because a page has several fields for the theme, and the search can set it, too. */
const chosen = shared<Theme>(THEMES.find((theme) => theme === recall(STORED)) ?? 'system');

/** Without `data-theme`, the style sheet follows the system. */
function apply(theme: Theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export const restoreTheme = () => apply(chosen.get());

export function setTheme(theme: Theme) {
  keep(STORED, theme === 'system' ? null : theme);
  apply(theme);
  chosen.set(theme);
}

export function ThemeChoice() {
  return (
    <label class="theme">
      Theme{' '}
      <select value={chosen.use()} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
