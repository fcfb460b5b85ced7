import { CENTS_PER_INSTALLMENT, type Settings } from '../domain/assumptions.ts';
import type { Exchange } from '../exchange.ts';
import type { Send } from '../library/client.ts';
import type { SandboxShop, Shop } from '../library/shops.ts';
import { createThrowAwayMerchant } from '../library/throw-away.ts';
import type { Waiting } from '../library/wait.ts';
import type { Simulator, SimulatorOptions } from '../simulator-types.ts';
import { CertifyError } from './error.ts';
import type { Post } from './receiver.ts';

/** Where the orders of an examination are made, and how its requests are sent. */
export interface Stage {
  readonly merchant: SandboxShop;
  /** The account of the store, unless another one is given. */
  readonly store: Shop;
  readonly post: Post;
  close(): Promise<void>;
}

/** A running server, such as a `Simulator`. */
export interface Server {
  /** The URL under which it is reached. */
  readonly listening: string;
  readonly controlToken: string;
}

export interface StageRooms {
  readonly start: (options: SimulatorOptions) => Promise<Pick<Simulator, 'default' | 'merchant' | 'close'>>;
  /** Opens what sends the requests; closed at the end. */
  readonly openPost: () => { readonly deliver: Post; close(): void };
  readonly exchange: Exchange;
  readonly waiting: Waiting;
}

/** How far in the past the merchant's clock is frozen, so that no event is in the future. */
const PAST_MS = 2 * 3_600_000;
/** Longer than the server waits for a receiver. */
const TIMEOUT_MS = 60_000;
/** A merchant that examines no account's orders takes almost any total. */
const USUAL_TERMS = { min_order_amount: 2_400, max_order_amount: 100_000_000 };

/**
 * The terms of the account whose store opens the sessions. The other settings keep their defaults, with which every
 * type of event occurs.
 */
export function termsLike(account: Settings): Partial<Settings> {
  // `duplicate` compares two payments of one contract.
  const count = Math.max(2, account.installment_count);
  return {
    down_payment_percentage: account.down_payment_percentage,
    reservation_fee_percentage: account.reservation_fee_percentage,
    min_order_amount: Math.max(CENTS_PER_INSTALLMENT * count, account.min_order_amount),
    max_order_amount: account.max_order_amount,
    installment_count: count,
    installment_cadence: account.installment_cadence,
    late_charge_percentage: account.late_charge_percentage,
    late_charge_max_amount: account.late_charge_max_amount,
  };
}

/** `origin` is that of the store's server, for the links in the events. */
export async function openInMemory(
  { start, openPost, waiting }: StageRooms,
  origin: string | undefined,
  terms: Partial<Settings> = USUAL_TERMS,
): Promise<Stage> {
  const sim = await start({
    clock: clockAt(waiting),
    rateLimit: 'off',
    ...(origin === undefined ? {} : { publicUrl: origin }),
  });
  try {
    const merchant = await sim.merchant(terms);
    const post = openPost();
    return {
      merchant,
      store: sim.default,
      post: post.deliver,
      close() {
        post.close();
        return sim.close();
      },
    };
  } catch (error) {
    await sim.close();
    throw error;
  }
}

/**
 * Makes a throw-away merchant on the server. `sendsFrom` says where the requests to the receiver come from.
 * @throws CertifyError when the server does not answer, or refuses
 */
export async function openOnServer(
  { openPost, exchange, waiting }: StageRooms,
  { listening, controlToken }: Server,
  sendsFrom: 'server' | 'here',
  terms: Partial<Settings> = USUAL_TERMS,
): Promise<Stage> {
  const url = listening.replace(/\/+$/, '');
  const connection = { url, controlToken, waiting, send: sendTo(url, exchange) };
  const rented = await createThrowAwayMerchant(connection, { clock: clockAt(waiting), ...terms });
  const own = openPost();

  const fromServer: Post = async ({ url, method, headers, body, insecure }) => {
    const sentAt = waiting.now();
    const answer = await rented.send({ url, headers, insecure, ...(method ? { method } : { body }) });
    return {
      sentAt,
      statusCode: answer.status_code,
      durationMs: answer.duration_ms,
      error: answer.error,
      requestHeaders: headers,
      responseHeaders: answer.response_headers,
      responseBody: answer.response_body,
    };
  };
  return {
    merchant: rented.shop,
    store: rented.shop,
    post: sendsFrom === 'server' ? fromServer : own.deliver,
    async close() {
      own.close();
      // If this fails, the server has ended and the merchant with it, or it deletes the merchant after a while.
      await rented.delete().catch(() => undefined);
    },
  };
}

const clockAt = ({ now }: Waiting) => ({ frozenAt: new Date(now() - PAST_MS).toISOString() });

/** Every refusal ends the examination, which asks for nothing that a server should refuse. */
const sendTo =
  (url: string, exchange: Exchange): Send =>
  async ({ method, path, headers, body }) => {
    const response = await exchange({
      method,
      url: `${url}${path}`,
      headers: { ...headers, 'user-agent': 'layaway-certify', ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      timeoutMs: TIMEOUT_MS,
    }).catch((error: Error) => {
      throw new CertifyError('unreachable', `The server at ${url} does not answer: ${error.message}.`, {
        cause: error,
      });
    });
    const { status, text } = response;
    const answer = text === '' ? null : parsed(text, url);
    if (status >= 300) {
      const said = (answer as { message?: unknown } | null)?.message;
      throw new CertifyError(
        'refused',
        `The server at ${url} refused ${method} ${path} (${status}): ${said ?? 'it gave no reason.'}`,
      );
    }
    return { status, headers: response.headers, body: answer };
  };

function parsed(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CertifyError('unreachable', `The server at ${url} is not a simulator: its response is not JSON.`, {
      cause: error,
    });
  }
}
