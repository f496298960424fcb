import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Random } from '../../scripts/crashtest/random.ts';
import type { ChargeOutcome } from '../../src/billing/services.ts';
import { contextOf } from '../../src/billing/subscriptions/record.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { FaultHook } from '../../src/engine/faults.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import type { Tenant } from '../../src/store/tenant.ts';
import { openTestBilling, type TestBilling } from '../support/billing.ts';
import { ALICE, BOB, offerBody } from '../support/bodies.ts';
import { type HttpHarness, idOf, startHttp } from '../support/http.ts';
import { PLENTY, scriptedChain } from '../support/scripted-chain.ts';

const ROUNDS = 8;
const CALLS = 6;
const PAUSE_MS = 8;

const random = new Random(20_300_115);

/** Between any two steps of a process somebody else may have been at it. */
const pausing: FaultHook = async () => {
  if (random.next() < 0.5) await delay(random.integer(0, PAUSE_MS));
};

let http: HttpHarness;
let processes: readonly TestBilling[];
let tenant: Tenant;
let id: string;
let isOver = false;
let chain: Promise<void>;

beforeAll(async () => {
  const played = Object.assign(scriptedChain(), { state: PLENTY });
  const opened: TestBilling[] = [];
  http = await startHttp((deps) => {
    const own = { ...deps, chains: createChains([played]) };
    opened.push(openTestBilling(own, deps.store, pausing), openTestBilling(own, deps.store, pausing));
    return { ...own, services: { ...deps.services, ...opened[0]?.services } };
  });
  processes = opened;
  const { merchant, testKey: key } = await http.merchant();
  tenant = { merchantId: merchant._id, mode: 'test' };
  await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
  await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-local-evm', receiverWallet: BOB } });
  const made = await http.call('POST', '/offers', { key, body: offerBody() });
  const priceId = /price_[0-9a-z]{26}/.exec(JSON.stringify(made.body))?.[0];
  const wallets = [{ chainFamily: 'evm', address: ALICE }];
  const customerId = idOf(await http.call('POST', '/customers', { key, body: { wallets } }));
  id = idOf(await http.call('POST', '/subscriptions', { key, body: { priceId, customerId } }));
  chain = settleEverything();
});

afterAll(async () => {
  isOver = true;
  await chain;
});

/** The chain: whatever is asked for lands, told by one process or the other. */
async function settleEverything(): Promise<void> {
  while (!isOver) {
    const waiting = await http.store.records.find('charges', { where: { state: 'waiting' }, limit: 10 });
    for (const charge of waiting) await land(charge);
    await delay(1);
  }
}

async function land({ _id, paymentId, attempt }: ChargeDoc): Promise<void> {
  const hashes = {
    pullTxHash: `0x${paymentId}`,
    forwardTxHash: null,
    platformTransferTxHash: null,
    distributeTxHash: null,
  };
  const about = { attempt, hashes, block: { number: 1, hash: '0x1' } };
  const events = [
    { type: 'charge.started', attempt, toWallet: null },
    { type: 'charge.mined', ...about },
    { type: 'charge.final', ...about },
  ] as const;
  for (const event of events) {
    await random.pick(processes).engine.dispatch({ kind: 'payment', id: paymentId, event, by: 'test' });
  }
  await http.store.records.change('charges', _id, {}, { set: { state: 'final' } });
}

function charged(): Promise<ChargeOutcome> {
  return random.pick(processes).services.sandbox.charge(tenant, id);
}

/** However the calls fall: while another's is in flight, just after it, or at the same moment. */
it('tells of each charge to one caller only, of several at two processes', async () => {
  const answers: ChargeOutcome[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = Array.from({ length: CALLS }, async () => {
      await delay(random.integer(0, 4 * PAUSE_MS));
      return charged();
    });
    answers.push(...(await Promise.all(calls)));
  }
  const settled = answers.filter(({ outcome }) => outcome === 'settled').map(({ paymentId }) => paymentId);
  expect(settled.length).toBeGreaterThanOrEqual(ROUNDS);
  expect(new Set(settled).size).toBe(settled.length);
  const others = answers.filter(({ outcome }) => outcome !== 'settled');
  expect(new Set(others.map(({ reason }) => reason))).toEqual(new Set(['in_flight']));
  const [doc] = await http.store.actors.load('subscription', [id]);
  expect(doc && contextOf(doc).cyclesCompleted).toBe(settled.length);
});
