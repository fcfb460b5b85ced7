import { render } from 'preact';
import { App } from './app.tsx';
import { takeKey } from './key.ts';
import './style.css';

await takeKey();
render(<App />, document.getElementById('app') as HTMLElement);
