import { Pool } from 'undici';
import { requestOf } from '../../../src/webhooks/attempt.ts';
import { serve } from '../../lib/child.ts';
import { spread } from '../../lib/spread.ts';
import { eventOf } from '../documents.ts';

/** Post this many events. */
export interface DeliverOrder {
  readonly merchantId: string;
  readonly url: string;
  readonly secret: string;
  readonly events: number;
}

export interface Delivered {
  /** The time until the last event was delivered, and by the product recorded. */
  readonly ms: number;
  /** All calls to MongoDB together. */
  readonly roundTrips: number;
  readonly troubles: readonly string[];
}

/** As many connections as the product opens to one endpoint. */
const CONNECTIONS = 64;

/**
 * The baseline of `webhooks`, in its own process, for somebody who only wants the bytes to arrive: an undici `Pool` of
 * 64 connections with pipelining 1 posts the same envelopes, each signed with the same HMAC, and reads each answer to
 * its end. It records nothing, retries nothing and checks no address.
 */
function open() {
  return { deliver };
}

export type WebhooksBaseline = typeof open;

/** The time of the posts alone. */
async function deliver({ merchantId, url, secret, events }: DeliverOrder): Promise<Delivered> {
  const target = new URL(url);
  const pool = new Pool(target.origin, { connections: CONNECTIONS, pipelining: 1 });
  const docs = Array.from({ length: events }, () => eventOf({ merchantId, mode: 'test' }, new Date()));
  const began = performance.now();
  await spread(docs, CONNECTIONS, async (doc) => {
    const { body, headers } = requestOf(doc, { url: target, secrets: [secret], modeSecrets: [] }, new Date());
    const answer = await pool.request({ path: target.pathname, method: 'POST', headers: { ...headers }, body });
    await answer.body.dump();
  });
  const ms = performance.now() - began;
  await pool.close();
  return { ms, roundTrips: 0, troubles: [] };
}

serve(open);
