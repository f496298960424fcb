import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { EventDoc } from '../../../src/store/collections.ts';
import { requestOf } from '../../../src/webhooks/attempt.ts';
import { type Delivered, type DeliverOrder, deliverOrder } from './messages.ts';

/**
 * The baseline of `webhooks`: what somebody writes who only wants the bytes to arrive. In a process of its own an undici
 * `Pool` of 64 connections (as many as the product opens to one endpoint) with pipelining 1 posts the same envelopes, each
 * signed with the same HMAC, reads the answer to its end, and records nothing, retries nothing and checks no address.
 *
 * Each message, a `DeliverOrder`, is answered with a `Delivered`.
 */
const CONNECTIONS = 64;

async function deliver({ merchantId, url, secret, events }: DeliverOrder): Promise<Delivered> {
  const target = new URL(url);
  const pool = new Pool(target.origin, { connections: CONNECTIONS, pipelining: 1 });
  const docs = Array.from({ length: events }, (_, index) => eventOf(merchantId, index));
  const began = performance.now();
  let next = 0;
  const poster = async (): Promise<void> => {
    for (let doc = docs[next++]; doc !== undefined; doc = docs[next++]) {
      const { body, headers } = requestOf(doc, { url: target, secret, previousSecret: null }, new Date());
      const answer = await pool.request({ path: target.pathname, method: 'POST', headers: { ...headers }, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, poster));
  const ms = performance.now() - began;
  await pool.close();
  return { ms, events, trips: 0, troubles: [] };
}

function eventOf(merchantId: string, index: number): EventDoc {
  const customerId = `cust_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  return {
    _id: `evt_${String(index).padStart(26, '0')}`,
    merchantId,
    mode: 'test',
    resourceId: customerId,
    sequence: 1,
    event: 'customer.created',
    createdAt: new Date(),
    data: { customerId, wallets: [] },
  };
}

process.on('message', (message) => {
  void deliver(deliverOrder.parse(message)).then((answer) => process.send?.(answer));
});
// Whoever asks is gone.
process.once('disconnect', () => process.exit());
