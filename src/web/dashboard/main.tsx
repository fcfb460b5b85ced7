import { render } from 'preact';
import { App } from './app.tsx';
import { takeKey } from './key.ts';
import { restoreTheme } from './parts/frame/theme.tsx';
import '../base.css';
import './style.css';

restoreTheme();
await takeKey();
render(<App />, document.getElementById('app') as HTMLElement);
