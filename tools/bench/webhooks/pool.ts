import { Pool } from 'undici';
import type { EventDoc } from '../../../src/store/collections.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import { newId } from '../../../src/store/ids.ts';
import { requestOf } from '../../../src/webhooks/attempt.ts';
import type { DeliverOrder } from './messages.ts';

/** As many connections as the product opens to one endpoint. */
export const CONNECTIONS = 64;

/**
 * Posts to one endpoint and reads each answer to its end: pipelining 1, the product's bytes and signature, and nothing
 * else.
 */
export class BarePool {
  readonly #order: DeliverOrder;
  readonly #target: URL;
  readonly #pool: Pool;

  constructor(order: DeliverOrder) {
    this.#order = order;
    this.#target = new URL(order.url);
    this.#pool = new Pool(this.#target.origin, { connections: CONNECTIONS, pipelining: 1 });
  }

  /** Resolves with the status. */
  async post(doc: EventDoc): Promise<number> {
    const { secret } = this.#order;
    const { body, headers } = requestOf(doc, { url: this.#target, secret, previousSecret: null }, new Date());
    const path = this.#target.pathname;
    const answer = await this.#pool.request({ path, method: 'POST', headers: { ...headers }, body });
    await answer.body.dump();
    return answer.statusCode;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

export function eventsOf({ merchantId, events }: DeliverOrder): EventDoc[] {
  return Array.from({ length: events }, () => eventOf({ merchantId, mode: 'test' }, new Date()));
}

/** The event of a new customer. */
export function eventOf({ merchantId, mode }: Tenant, createdAt: Date): EventDoc {
  const resourceId = newId('cust', createdAt);
  const data = { customerId: resourceId, wallets: [] };
  return {
    _id: newId('evt', createdAt),
    merchantId,
    mode,
    resourceId,
    sequence: 1,
    event: 'customer.created',
    createdAt,
    data,
  };
}
