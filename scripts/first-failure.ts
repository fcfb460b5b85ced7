import { VitestTestRunner } from 'vitest/runners';

/** After the first failure, Vitest still loads the suites to come, which takes longer than most of their tests. */
export default class FirstFailure extends VitestTestRunner {
  #hasFailed = false;

  override cancel(...[reason]: Parameters<VitestTestRunner['cancel']>) {
    this.#hasFailed = true;
    super.cancel(reason);
  }

  override importFile(...[filepath, source]: Parameters<VitestTestRunner['importFile']>) {
    return this.#hasFailed && source === 'collect' ? undefined : super.importFile(filepath, source);
  }
}
