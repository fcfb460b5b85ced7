import { type AccountSettings, PLATFORM_DEFAULTS } from '../domain/assumptions.ts';
import type { Clock } from '../domain/merchant.ts';
import type { Verbs } from '../engine/engine.ts';
import type { NewEndpoint } from '../engine/webhook.ts';
import type { Fixture } from '../http/input/fixture.ts';
import { defaultDraw } from '../secrets/draw.ts';
import type { SimulatorOptions } from '../simulator-types.ts';
import type { Store } from '../store/store.ts';

/** What a workspace starts with. */
export interface Start {
  /** What the options set in every account. */
  readonly initialSettings: Partial<AccountSettings>;
  readonly fixture: Fixture;
  readonly forwardTo: readonly NewEndpoint[];
  startingClock(): Clock;
  readonly options: Pick<SimulatorOptions, 'clock' | 'seed' | 'fixture'>;
}

/** What a new workspace holds: merchants, settings, receivers and the contracts of the fixture. */
export function createContent(
  store: Pick<Store, 'accounts' | 'workspace' | 'transaction'>,
  engine: Verbs,
  { fixture, options }: Pick<Start, 'fixture' | 'options'>,
) {
  /** The account that the server's own receivers belong to. */
  const defaultAccount = () => store.accounts.ofMerchant(1, 'sandbox');

  /** A workspace as it is before anybody used it. Refuses a fixture whose contracts could not be made. */
  function initialize(clock: Clock) {
    store.workspace.create(options.seed === undefined ? null : String(options.seed), {
      ...PLATFORM_DEFAULTS,
      ...fixture.platform,
    });
    const { sandbox, live } = engine.createMerchant({ clock }, defaultDraw);
    engine.changeSettings(sandbox.account, fixture.settings);
    engine.changeSettings(live.account, fixture.liveSettings);
    // Credentials that a fixture gives are the same on every machine, like those of the default merchant.
    const merchants = fixture.merchants.map((merchant) => merchant(() => clock));
    for (const merchant of merchants) engine.createMerchant(merchant, defaultDraw);
    const account = defaultAccount();
    fixture.forEachContract(account, (made) => engine.planContract(account, made));
  }

  function makeContracts() {
    const account = defaultAccount();
    store.transaction(() => {
      fixture.forEachContract(account, (made) => engine.makeContract(account, made));
      store.workspace.setFurnished();
    });
  }

  /** An endpoint of the default account for each receiver that has none yet. One that accepts any certificate goes on with that. */
  function connect(wanted: readonly NewEndpoint[]) {
    const account = defaultAccount();
    for (const receiver of wanted) {
      const known = engine.findReceiver(account, receiver.url);
      if (!known) engine.createEndpoint(account, { secret: account.webhookSecret, ...receiver });
      else if (receiver.insecure && !known.insecure) engine.changeEndpoint(account, known.token, { insecure: true });
    }
  }

  return { defaultAccount, initialize, makeContracts, connect };
}
