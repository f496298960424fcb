import { createChargeListener } from '../../src/billing/payments/charge-listener.ts';
import { resubmissionOf } from '../../src/chains/charges.ts';
import type { ChargeFact } from '../../src/chains/port.ts';
import type { ChargeDoc, ChargeState } from '../../src/store/collections.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { pausedCycle } from './support/paused-cycle.ts';

const UNDELIVERABLE: ChargeFact = { kind: 'undeliverable', reason: 'forward_reverted' };
const RELEASED: ChargeFact = { kind: 'released' };
const HASHES = { forwardTxHash: '0xaa', platformTransferTxHash: '0xaa', distributeTxHash: null };
const MINED: ChargeFact = {
  kind: 'mined',
  hashes: { pullTxHash: '0xaa', ...HASHES },
  block: { number: 7, hash: '0xb7' },
};

let http: HttpHarness;
let billing: InProcessService;
let paymentId: string;
/**
 * The submission before the pause, left by a process that died after it notified the payment and before it marked the
 * charge.
 */
let first: ChargeDoc;
beforeEach(async () => {
  http = await startHttp();
  ({ billing } = http);
  paymentId = (await pausedCycle(http)).paymentId;
  first = await chargeOf(0);
});

async function charges(): Promise<ChargeDoc[]> {
  return http.store.records.find('charges', { where: { paymentId }, limit: 10 });
}

async function chargeOf(resubmission: number): Promise<ChargeDoc> {
  const found = (await charges()).find((charge) => resubmissionOf(charge) === resubmission);
  if (found === undefined) throw new Error(`no charge with resubmission ${resubmission} exists`);
  return found;
}

async function endPause(): Promise<void> {
  http.now = new Date(http.now.getTime() + 120_000);
  await billing.engine.dispatch({ kind: 'payment', id: paymentId, event: { type: 'pause.over' }, by: 'test' });
  await billing.quiet();
}

async function setFirst(state: ChargeState): Promise<void> {
  await http.store.records.change('charges', first._id, {}, { set: { state } });
}

async function askAgain(): Promise<void> {
  http.now = new Date(http.now.getTime() + 120_000);
  await billing.relay('payment');
}

async function chargeState(): Promise<unknown> {
  const [payment] = await http.store.actors.load('payment', [paymentId]);
  return payment?.value;
}

function listener() {
  const nobody = async (): Promise<never> => {
    throw new Error('nobody asks for this here');
  };
  const refunds = { start: async () => [], notify: nobody };
  return createChargeListener({
    settled: () => undefined,
    engine: billing.engine,
    allowancesChanged: async () => {},
    undelivered: async () => {},
    invoices: { ratesOf: async () => new Map(), issue: async () => {}, reverse: async () => {} },
    refunds,
  });
}

describe('a charge that is resubmitted after a pause', () => {
  it('withdraws the submission before it, if that still waits', async () => {
    await endPause();
    expect(await chargeOf(0)).toMatchObject({ _id: first._id, state: 'withdrawn', lane: null, transactionId: null });
    expect(await chargeOf(1)).toMatchObject({ _id: `${first._id}.1`, key: first.key, attempt: 1, state: 'waiting' });
  });

  it.each(['started', 'sent', 'mined'] as const)('waits while the submission before it is %s', async (state) => {
    await setFirst(state);
    await endPause();
    expect(await charges()).toHaveLength(1);
    await setFirst('refused');
    await askAgain();
    expect(await chargeOf(1)).toMatchObject({ state: 'waiting' });
  });

  it('is not made if the submission before it has moved the money', async () => {
    await setFirst('final');
    await endPause();
    await setFirst('refused');
    await askAgain();
    expect(await charges()).toHaveLength(1);
  });

  it('is the only submission that its payment lets start', async () => {
    await endPause();
    const second = await chargeOf(1);
    const asked = async () => Object.fromEntries(await listener().start([first, second]));
    expect(await asked()).toEqual({ [first._id]: 'withdrawn', [second._id]: 'go' });
    expect(await asked()).toEqual({ [first._id]: 'withdrawn', [second._id]: 'go' });
  });

  it('is not paused by a late fact about the submission before it', async () => {
    await endPause();
    const second = await chargeOf(1);
    await listener().start([second]);
    await listener().notify([{ charge: first, fact: UNDELIVERABLE }]);
    expect(await chargeState()).toEqual({ pending: 'started' });
    await listener().notify([{ charge: second, fact: UNDELIVERABLE }]);
    expect(await chargeState()).toEqual({ pending: 'paused' });
  });
});

describe('a charge that was released and taken again', () => {
  it('is not taken back by a late report of that release', async () => {
    await endPause();
    const { releases, ...second } = await chargeOf(1);
    expect(releases).toBeUndefined();
    const again = { ...second, releases: 1 };
    await listener().start([second]);
    for (const _ of ['told', 'and told once more by who has not noted it']) {
      await listener().notify([{ charge: second, fact: RELEASED }]);
      expect(await chargeState()).toEqual({ pending: 'requested' });
    }
    await listener().start([again]);
    await listener().notify([{ charge: second, fact: RELEASED }]);
    expect(await chargeState()).toEqual({ pending: 'started' });
    await listener().notify([{ charge: again, fact: RELEASED }]);
    expect(await chargeState()).toEqual({ pending: 'requested' });
  });

  it('is not marked as pulled by a late fact about its earlier block', async () => {
    await endPause();
    const second = await chargeOf(1);
    const again = { ...second, releases: 1 };
    await listener().start([second]);
    await listener().notify([{ charge: second, fact: MINED }]);
    expect(await chargeState()).toBe('pulled');
    await listener().notify([{ charge: second, fact: RELEASED }]);
    for (const late of [second, first]) {
      await listener().notify([{ charge: late, fact: MINED }]);
      expect(await chargeState()).toEqual({ pending: 'requested' });
    }
    expect(await listener().start([again])).toEqual(new Map([[again._id, 'go']]));
    await listener().notify([{ charge: again, fact: MINED }]);
    expect(await chargeState()).toBe('pulled');
  });
});
