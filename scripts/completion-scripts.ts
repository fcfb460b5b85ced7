import { completionScripts } from '../src/cli/completion/scripts.ts';

export default await completionScripts();
