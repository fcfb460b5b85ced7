import type { ChaosOptions } from './domain/chaos.ts';
import type { ClockLine, DeliveryLine, RequestLine } from './http/stream/watch-lines.ts';
import type { MerchantOptions, SandboxShop, Workspace } from './library/shops.ts';
import type { FixtureContent } from './library/wire.ts';
import type { RealTime } from './time/real.ts';
import type { TraceDocument, TraceFailure } from './trace/file.ts';
import type { SmtpAddress } from './webhook/relay.ts';

export interface SimulatorOptions {
  /** The state directory. Without it, the state is kept in memory and lost on close. */
  readonly data?: string;
  /** The address to listen on. By default 127.0.0.1, and ::1 if the machine has IPv6. */
  readonly host?: string;
  /**
   * The port to listen on; 0 selects a free one.
   * @default 0
   */
  readonly port?: number;
  /**
   * The origin at which others reach the server, such as `https://shop.example` (interface §6). It is used in
   * `checkout_url`, links between pages, `url` and `dashboardUrl`. By default the listening address.
   */
  readonly publicUrl?: string;
  /**
   * Names that a `Host` header may contain, besides `localhost`, its subdomains, IP addresses and the hosts of `host`
   * and `publicUrl`; `*` allows every name. Other names are refused with 403 (interface §6).
   */
  readonly allowHosts?: readonly string[];
  /** Makes the ids, tokens, references and keys of a new workspace the same each time. Random by default. */
  readonly seed?: number | string;
  /** The clocks of a new workspace and of new merchants, as ISO 8601 instants. By default they run from the real time. */
  readonly clock?: { readonly frozenAt: string } | { readonly runningFrom: string };
  /** Requests per minute for both rate limits; `off` disables them. */
  readonly rateLimit?: number | 'off';
  /**
   * Real seconds within which the headers and the body of a request must arrive.
   * @default 30
   */
  readonly requestTimeoutSeconds?: number;
  /** URLs that receive the webhooks of the default sandbox account. Each becomes an endpoint once. */
  readonly forwardTo?: readonly string[];
  /** Accepts any certificate of an https receiver in `forwardTo`, such as a self-signed one. */
  readonly insecure?: boolean;
  /**
   * Whether requests to `/v1` are logged. The log is kept with the state.
   * @default true
   */
  readonly requestLog?: boolean;
  /** Enables the setting `allow_http_localhost` for every account, for a store that is developed on http. */
  readonly allowHttpLocalhost?: boolean;
  /** The initial content of a new workspace: the path of a YAML or JSON file, or an object with the same content. */
  readonly fixture?: string | FixtureContent;
  /** Random faults for requests and first deliveries. The same calls in the same order get the same faults. */
  readonly chaos?: ChaosOptions;
  /** An SMTP server that gets a copy of every email, such as Mailpit. */
  readonly smtp?: SmtpAddress;
  /** The flags of the command that starts the simulator, for its traces (interface §11). None by default. */
  readonly flags?: readonly string[];
  /** Opens the state of a trace in memory. Such a simulator sends no webhooks and no emails. */
  readonly trace?: TraceDocument;
  /** Called for every answered request. */
  readonly onRequest?: (line: RequestLine) => void;
  /** Called for every delivery attempt. */
  readonly onDelivery?: (line: DeliveryLine) => void;
  /** Called when the clock of an account was advanced, frozen or resumed. */
  readonly onClock?: (line: ClockLine) => void;
  /** Called with a sentence for the person who runs the server, such as why the URL of a store was refused. */
  readonly onNote?: (note: string) => void;
  /** Called with internal errors and with those of the other callbacks. By default they go to the console. */
  readonly onFault?: (error: unknown) => void;
  /** Replaces the real time, for tests that must not wait. */
  readonly time?: RealTime;
}

export interface InjectedRequest {
  /** @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly payload?: string | object;
  /** The address that the request comes from, which the rate limit counts. `127.0.0.1` unless given. */
  readonly remoteAddress?: string;
}

export interface InjectedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
  json<T = unknown>(): T;
}

export interface StartEndpoint {
  readonly clientId: string;
  readonly url: string;
  /** `listener`: events reach it through `layaway listen`. */
  readonly transport: 'http' | 'listener';
  readonly enabled: boolean;
  /** The number of deliveries that are still to be attempted. */
  readonly owed: number;
  readonly secret: string;
}

/** Its methods are properties, so that linters let them be passed on, as in `afterAll(sim.close)`. */
export interface Simulator extends Workspace {
  /** Where stores and browsers reach the simulator: `publicUrl` if it was given, otherwise `listening`. */
  readonly url: string;
  /** The address that the simulator listens on, as a URL; with 127.0.0.1 if it listens on every address. */
  readonly listening: string;
  /** The bearer token for workspace operations of `/_sim` (interface §3). */
  readonly controlToken: string;
  /** A link that signs in to the dashboard. Each read of this property gives a new link, which works once. */
  readonly dashboardUrl: string;
  /** The default merchant's sandbox account. */
  readonly default: SandboxShop;
  /** The merchants of the fixture, in its order. */
  readonly merchants: readonly SandboxShop[];
  /** The enabled http endpoints of the default sandbox account, from the options, the fixture and the state. */
  readonly webhooks: readonly { readonly url: string; readonly secret: string }[];
  /** The clock of the default sandbox account, as at the start. */
  readonly startClock: { readonly mode: 'running' | 'frozen'; readonly now: string };
  /** Every webhook endpoint of every account, as at the start. */
  readonly endpoints: readonly StartEndpoint[];
  /** Sentences about the start that a person should read, such as an option that a kept state ignores. */
  readonly notes: readonly string[];
  /**
   * Creates a merchant with its own keys, clocks, inbox and endpoints, so that tests can run in parallel.
   * @throws TypeError when an option is unknown
   * @throws LayawayError when a value is refused
   */
  readonly merchant: (options?: MerchantOptions) => Promise<SandboxShop>;
  /** The whole workspace in the form of a trace file, without keys and secrets (interface §11). `failure` says what failed. */
  readonly trace: (failure?: TraceFailure | null) => Promise<TraceDocument>;
  /**
   * Sends a request without the network.
   * @throws TypeError when the request is wrong, or is for a stream of events, which never ends
   */
  readonly inject: (request: InjectedRequest) => Promise<InjectedResponse>;
  /** Stops the server and closes the state. */
  readonly close: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
