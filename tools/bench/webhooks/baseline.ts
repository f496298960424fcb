import { spread } from '../../lib/spread.ts';
import { answerOrders } from '../answer-orders.ts';
import { type Delivered, type DeliverOrder, deliverOrder } from './messages.ts';
import { BarePool, CONNECTIONS, eventsOf } from './pool.ts';

/**
 * The baseline of `webhooks`, in its own process, for somebody who only wants the bytes to arrive. An undici `Pool` of
 * 64 connections (as many as the product opens to one endpoint) with pipelining 1 posts the same envelopes, each signed
 * with the same HMAC, and reads each answer to its end. It records nothing, retries nothing and checks no address.
 *
 * It answers each `DeliverOrder` with a `Delivered`.
 */
async function deliver(order: DeliverOrder): Promise<Delivered> {
  const pool = new BarePool(order);
  const docs = eventsOf(order);
  const began = performance.now();
  await spread(docs, CONNECTIONS, (doc) => pool.post(doc));
  const ms = performance.now() - began;
  await pool.close();
  return { ms, events: docs.length, roundTrips: 0, troubles: [] };
}

answerOrders(deliverOrder, deliver);
