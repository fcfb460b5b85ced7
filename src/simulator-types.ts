import type { ChaosOptions } from './domain/chaos.ts';
import type { ClockLine, DeliveryLine, RequestLine } from './http/stream/watch-lines.ts';
import type { MerchantOptions, SandboxShop, Workspace } from './library/shops.ts';
import type { RealTime } from './time/real.ts';
import type { TraceDocument, TraceFailure } from './trace/file.ts';
import type { SmtpAddress } from './webhook/relay.ts';

export interface SimulatorOptions {
  /** The state directory; in memory when absent. */
  readonly data?: string;
  /** The address to listen on; without one, 127.0.0.1 and, where there is one, ::1. */
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /**
   * The origin under which others reach the server, such as `https://shop.example`: that of `checkout_url`, links
   * between pages, `url` and `dashboardUrl`. The listening address when absent.
   */
  readonly publicUrl?: string;
  /**
   * Names that a `Host` header may say, beside `localhost`, its subdomains, IP addresses and the hosts of `host` and
   * `publicUrl`; `*` allows every name. Others are refused with 403.
   */
  readonly allowHosts?: readonly string[];
  /** Fixes every id, token, reference and key drawn in a new workspace. */
  readonly seed?: number | string;
  /** The clocks of a new workspace and of new merchants; running at real now when absent. ISO 8601 instants. */
  readonly clock?: { readonly frozenAt: string } | { readonly runningFrom: string };
  /** Requests a minute, for both limits; `off` lets everything pass. */
  readonly rateLimit?: number | 'off';
  /**
   * Real seconds in which the headers and the body of a request must come.
   * @default 30
   */
  readonly requestTimeoutSeconds?: number;
  /** Receivers of the default sandbox account’s webhooks, each made an endpoint once. */
  readonly forwardTo?: readonly string[];
  /**
   * Whether requests to `/v1` are logged, with the state.
   * @default true
   */
  readonly requestLog?: boolean;
  /** Turns the setting `allow_http_localhost` on for every account: a store under development may be on http. */
  readonly allowHttpLocalhost?: boolean;
  /** What a new workspace starts with: a YAML or JSON file, or what one would hold. */
  readonly fixture?: string | object;
  /** Strikes requests and first deliveries by chance: the same calls in the same order meet the same faults. */
  readonly chaos?: ChaosOptions;
  /** An SMTP server to relay e-mails to, such as Mailpit. */
  readonly smtp?: SmtpAddress;
  /** Shows the state of a trace, in memory; it sends nothing anywhere. */
  readonly trace?: TraceDocument;
  /** Watches every answered request. */
  readonly onRequest?: (line: RequestLine) => void;
  /** Watches every delivery attempt. */
  readonly onDelivery?: (line: DeliveryLine) => void;
  /** Watches the account clocks: told when one was advanced, frozen or resumed. */
  readonly onClock?: (line: ClockLine) => void;
  /** Told, in a sentence, what whoever runs the server should know at this moment, such as why a store's URL was refused. */
  readonly onNote?: (note: string) => void;
  /** Where internal faults go; the console when absent. */
  readonly onFault?: (error: unknown) => void;
  /** Real time, for tests that must not wait. */
  readonly time?: RealTime;
}

export interface InjectedRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly payload?: string | object;
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
  /** `listener`: a `layaway listen` forwards to it. */
  readonly transport: 'http' | 'listener';
  readonly enabled: boolean;
  /** Deliveries still to be attempted. */
  readonly owed: number;
}

export interface Simulator extends Workspace {
  /** Where stores and browsers reach it: the public URL where one was given, else `listening`. */
  readonly url: string;
  /** The address that it listens on, as a URL; 127.0.0.1 for a wildcard. */
  readonly listening: string;
  readonly controlToken: string;
  /** The dashboard, signed in: each reading is a new link that opens once. */
  readonly dashboardUrl: string;
  /** The default merchant's sandbox account. */
  readonly default: SandboxShop;
  /** The merchants of the fixture, in its order. */
  readonly merchants: readonly SandboxShop[];
  /** Where the server itself sends events of the default sandbox account: endpoints of options, fixture and state. */
  readonly webhooks: readonly { readonly url: string; readonly secret: string }[];
  /** Every webhook endpoint of every account, as it was at the start. */
  readonly endpoints: readonly StartEndpoint[];
  /** What the start found worth saying, a sentence each. */
  readonly notes: readonly string[];
  /** A merchant of its own: keys, clocks, inbox and endpoints safe beside other tests. */
  merchant(options?: MerchantOptions): Promise<SandboxShop>;
  /** The whole workspace as it stands, as a trace file holds it; without keys and secrets. `failure` tells what failed. */
  trace(failure?: TraceFailure | null): Promise<TraceDocument>;
  /** A request that does not cross the network. */
  inject(request: InjectedRequest): Promise<InjectedResponse>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
