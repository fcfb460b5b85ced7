import * as operations from '../../operations/webhooks.ts';
import { FLAG, refuseNonObject, refuseWrong } from '../../options.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import type { Delivery, EventType, ListOptions, WebhookEndpoint } from '../wire.ts';

export function webhookLevers(connection: Connection) {
  const ask = asker(connection);
  const change = (id: string, body: { readonly enabled: boolean }) =>
    ask(operations.updateWebhookEndpoint, { params: { id }, body }).then(dataOf);
  return {
    list: (query: ListOptions = {}) => ask(operations.listWebhookEndpoints, { query }).then(dataOf),
    /** Adds an endpoint, by default for every event. `insecure` accepts any certificate of an https receiver. */
    add: async (
      url: string,
      options: {
        readonly events?: readonly (EventType | '*')[];
        readonly secret?: string;
        readonly insecure?: boolean;
      } = {},
    ) => {
      refuseNonObject(options, 'webhooks.add');
      return ask(operations.createWebhookEndpoint, { body: { url, ...options } }).then(withSecret);
    },
    enable: (id: string) => change(id, { enabled: true }),
    disable: (id: string) => change(id, { enabled: false }),
    remove: (id: string) => ask(operations.deleteWebhookEndpoint, { params: { id } }).then(() => null),
    /** The endpoint with its secret. */
    secret: (id: string) => ask(operations.readWebhookSecret, { params: { id } }).then(withSecret),
    rotate: (id: string) => ask(operations.rotateWebhookSecret, { params: { id } }).then(withSecret),
    /** Sends `webhook.test`. A forged one is signed with another secret, so the receiver has to refuse it. */
    test: async (id: string, options: { readonly forged?: boolean } = {}) => {
      refuseWrong(options, { forged: FLAG }, 'webhooks.test');
      const body = options.forged ? { body: { forged: true } } : {};
      return ask(operations.testWebhookEndpoint, { params: { id }, ...body }).then(dataOf);
    },
    deliveries: (
      query: ListOptions & {
        readonly status?: Delivery['status'];
        readonly event_id?: string;
        readonly endpoint_id?: string;
      } = {},
    ) => ask(operations.listDeliveries, { query }).then(dataOf),
    delivery: (id: string) => ask(operations.getDelivery, { params: { id } }).then(dataOf),
  };
}

/** A new or rotated endpoint, and the one that is asked for, has its secret. */
const withSecret = ({ data }: { readonly data: WebhookEndpoint }) =>
  data as WebhookEndpoint & { readonly secret: string };
