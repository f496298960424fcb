import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Store } from '../../src/store/port.ts';
import { dayOf, minuteOf } from '../../src/store/windows.ts';
import { keyOfPayment, readLedger } from '../../stage/ledger.ts';
import type { Merchant } from '../../stage/merchant.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { until } from '../../stage/until.ts';
import { startServiceProcess } from '../support/service.ts';
import { useStage } from '../support/stage.ts';

/** Many simultaneous requests at two real processes of the service on one database and chain. */
let second: ServiceProcess;
let store: Store;

const stage = useStage({}, async (opened) => {
  second = await startServiceProcess({ dataDir: opened.dataDir });
  opened.onStop(() => second.stop());
  store = await opened.store();
});

/** A merchant with multiplied limits. */
async function merchantWith(limitFactor: number): Promise<Merchant> {
  const made = await stage().createMerchant();
  await store.records.change('merchants', made.id, {}, { set: { limitFactor } });
  return made;
}

interface Reply {
  readonly status: number;
  readonly id: unknown;
  readonly headers: Headers;
}

/** The same call so often at once, at the two processes in turn. */
function many(count: number, { client }: Merchant, method: string, path: string, body?: object): Promise<Reply[]> {
  const calls = Array.from({ length: count }, async (_, index): Promise<Reply> => {
    const { url } = index % 2 === 0 ? stage() : second;
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: { 'X-API-Key': client.testKey },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { id } = z.object({ id: z.string().nullish() }).parse(await response.json());
    return { status: response.status, id, headers: response.headers };
  });
  return Promise.all(calls);
}

function tally(replies: readonly Reply[]): { readonly [status: number]: number } {
  const counts: { [status: number]: number } = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The one id in all replies. */
function oneIdOf(replies: readonly Reply[]): string {
  const [id, ...others] = new Set(replies.map((reply) => reply.id));
  expect(others).toEqual([]);
  return z.string().parse(id);
}

/** Resolves when enough of a minute is left, so that the burst does not reach into the next one. */
async function untilMinuteIsYoung(): Promise<void> {
  const leftMs = minuteOf(new Date()).resetAt.getTime() - Date.now();
  if (leftMs < BURST_MS) await delay(leftMs);
}

const BURST_MS = 15_000;

describe('300 simultaneous calls', () => {
  it('pass exactly up to the limit of the minute', async () => {
    const merchant = await merchantWith(2);
    await untilMinuteIsYoung();
    const replies = await many(300, merchant, 'GET', '/wallets');
    expect(tally(replies)).toEqual({ 200: 120, 429: 180 });
    const refused = replies.filter(({ status }) => status === 429).map(({ headers }) => headers);
    expect(new Set(refused.map((headers) => headers.get('x-ratelimit-limit')))).toEqual(new Set(['120']));
    expect(refused.filter((headers) => headers.has('x-ratelimit-scope'))).toEqual([]);
    const key = `${merchant.id}/test/GET /wallets/${dayOf(new Date()).name}`;
    expect(await store.counters.add(key, 0, new Date())).toBe(300);
  }, 120_000);
});

describe('500 simultaneous identical creates', () => {
  it('make one payment with one transfer from the payer', async () => {
    const merchant = await merchantWith(1_000);
    const payer = await merchant.createPayer({ has: '100.00' });
    await payer.approve('100.00');
    const wallets = { fromWallet: payer.address, toWallet: merchant.payoutWallet };
    const body = { idempotencyKey: 'p', ...wallets, amount: '7.77', tokenKey: 'usdc-local-evm' };
    const replies = await many(500, merchant, 'POST', '/payments', body);
    expect(tally(replies)).toEqual({ 200: 499, 201: 1 });
    const id = oneIdOf(replies);
    const { charges } = await readLedger(stage().chain);
    expect(charges.filter(({ key }) => key === keyOfPayment(id))).toMatchObject([{ gross: 7_770_000n }]);
    await payer.expectPaid(['7.77']);
    const waiting = () => store.records.count('outbox', { 'entries.documentId': id });
    await until(`what is owed for ${id} is written`, waiting, (count) => count === 0);
    const reported = await store.records.find('events', { where: { resourceId: id }, limit: 10 });
    expect(reported.map(({ event }) => event)).toEqual(['payment.succeeded']);
  }, 120_000);
});
