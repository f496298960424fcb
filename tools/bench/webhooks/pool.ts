import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDoc } from '../../../src/store/collections.ts';
import { requestOf } from '../../../src/webhooks/attempt.ts';
import type { DeliverOrder } from './messages.ts';

/** As many connections as the product opens to one endpoint. */
export const CONNECTIONS = 64;

/**
 * Posts to one endpoint and reads each answer to its end: pipelining 1, the product's bytes and signature, and nothing else.
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

/** Calls `run` for every item, `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runner = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: width }, runner));
}

export function eventsOf({ merchantId, events }: DeliverOrder): EventDoc[] {
  return Array.from({ length: events }, () => {
    const id = randomUUID().replaceAll('-', '').slice(0, 26);
    return {
      _id: `evt_${id}`,
      merchantId,
      mode: 'test',
      resourceId: `cust_${id}`,
      sequence: 1,
      event: 'customer.created',
      createdAt: new Date(),
      data: { customerId: `cust_${id}`, wallets: [] },
    };
  });
}
