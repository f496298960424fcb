import { setTimeout as delay } from 'node:timers/promises';
import type { AllowanceState } from '../../../src/chains/port.ts';
import { type FaultHook, noFaults } from '../../../src/engine/faults.ts';
import { type AdvanceInput, type AdvanceResult, advanceTo } from '../../../src/sandbox/advance.ts';
import { type ChargeOutcome, chargeNow } from '../../../src/sandbox/charge.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import { type InProcessService, openInProcess } from '../../../stage/in-process-service.ts';
import { PLENTY, scriptedChain } from '../../../stage/scripted-chain.ts';
import { ALICE, BOB, offerBody } from '../../support/bodies.ts';
import { type HttpHarness, idOf, priceIdOf, startHttp } from '../../support/http.ts';

/** One subscription, its processes, and a chain on which nothing lands before `begin`. */
export interface Stage {
  readonly http: HttpHarness;
  readonly processes: readonly InProcessService[];
  readonly tenant: Tenant;
  /** The id of the subscription. */
  readonly id: string;
  /** From now on every requested charge lands, and `through`, or the first process, reports it. */
  begin(through?: () => InProcessService): void;
  /** The sandbox calls, at `at` or at the first process; missing fields of an advance are null. */
  advance(how: Partial<AdvanceInput>, at?: InProcessService): Promise<AdvanceResult>;
  charge(at?: InProcessService): Promise<ChargeOutcome>;
  end(): Promise<void>;
}

export interface StageOptions {
  /** The number of processes. */
  readonly processes?: number;
  readonly fault?: FaultHook;
  /** More fields of the offer. */
  readonly offer?: object;
  /** The allowance and balance of every wallet; plenty by default. */
  readonly means?: AllowanceState;
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { processes = 1, fault = noFaults, offer = {}, means = PLENTY } = options;
  const played = Object.assign(scriptedChain(), { state: means });
  const http = await startHttp({ chains: [played], fault });
  const { store } = http;
  const others = Array.from({ length: processes - 1 }, () =>
    openInProcess({ store, clock: () => http.now, chains: [played], fault }),
  );
  const opened = [http.billing, ...others];
  const { merchant, testKey: key } = await http.merchant();
  await http.store.records.change('merchants', merchant._id, {}, { set: { feeBps: 0 } });
  await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-local-evm', receiverWallet: BOB } });
  const made = await http.call('POST', '/offers', { key, body: offerBody(offer) });
  const priceId = priceIdOf(made);
  const wallets = [{ chainFamily: 'evm', address: ALICE }];
  const customerId = idOf(await http.call('POST', '/customers', { key, body: { wallets } }));
  const id = idOf(await http.call('POST', '/subscriptions', { key, body: { priceId, customerId } }));
  const [first] = opened;
  if (first === undefined) throw new Error('a stage needs a process');
  const tenant: Tenant = { merchantId: merchant._id, mode: 'test' };
  let isOver = false;
  let chain: Promise<void> = Promise.resolve();
  const settle = async (through: () => InProcessService): Promise<void> => {
    while (!isOver) {
      const waiting = await http.store.records.find('charges', { where: { state: 'waiting' }, limit: 10 });
      for (const charge of waiting) await land(http, through, charge);
      await delay(1);
    }
  };
  return {
    http,
    processes: opened,
    tenant,
    id,
    begin: (through = () => first) => {
      chain = settle(through);
    },
    advance: (how, at = first) =>
      advanceTo(at.deps, tenant, { subscriptionId: id, to: null, days: null, status: null, ...how }),
    charge: (at = first) => chargeNow(at.deps, tenant, id),
    end: async () => {
      isOver = true;
      await chain;
    },
  };
}

async function land(
  { store }: HttpHarness,
  through: () => InProcessService,
  { _id, paymentId, attempt }: ChargeDoc,
): Promise<void> {
  const hashes = {
    pullTxHash: `0x${paymentId}`,
    forwardTxHash: null,
    platformTransferTxHash: null,
    distributeTxHash: null,
  };
  const about = { attempt, hashes, block: { number: 1, hash: '0x1' } };
  const events = [
    { type: 'charge.started', attempt, round: 0, toWallet: null },
    { type: 'charge.mined', round: 0, releases: 0, ...about },
    { type: 'charge.final', ...about },
  ] as const;
  for (const event of events) await through().engine.dispatch({ kind: 'payment', id: paymentId, event, by: 'test' });
  await store.records.change('charges', _id, {}, { set: { state: 'final' } });
}
