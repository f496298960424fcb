import { newPayment } from '../../machines/payment/context.ts';
import { createReserves } from '../../src/billing/allowances/reserves.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import type { StoredActor } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { type LogLine, recordingLog } from '../../stage/recording-log.ts';
import { scriptedChain } from '../../stage/scripted-chain.ts';
import { MONTHLY, newMonthly, START } from '../machines/support/subscription.ts';
import { actor, charge, insertActors } from '../store/support/documents.ts';
import { mandateDoc } from '../support/mandate-doc.ts';

const CHAIN_ID = 84_532;
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TERMS = { ...MONTHLY, tokenKey: 'usdc-base-sepolia', chainId: CHAIN_ID };
const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const catalog = buildCatalog();

let store: Store;
let lines: LogLine[];
let reserves: ReturnType<typeof createReserves>;

beforeEach(() => {
  store = openMemoryStore();
  const listened = recordingLog();
  lines = listened.lines;
  reserves = createReserves({
    store,
    catalog,
    chains: createChains([{ ...scriptedChain(), chainId: CHAIN_ID }]),
    clock: () => new Date(START),
    log: listened.log,
    engine: { recall: (kind, ids) => store.actors.load(kind, ids) },
  });
});

function subscription(id: string, authorizedAt: string): StoredActor {
  const context = { ...newMonthly({ id, terms: TERMS, payerWallet: WALLET }), authorizedAt };
  return actor({ _id: id, ...TENANT, status: 'active', context });
}

function payment(id: string, subscriptionId: string | null): StoredActor {
  const cycle = { cycle: 1, periodStart: START, periodEnd: '2026-02-28T10:00:00.000Z' };
  const made = newPayment({
    id,
    cycleOf: subscriptionId === null ? null : { subscriptionId, ...cycle },
    amount: TERMS.amount,
    fromWallet: WALLET,
    toWallet: null,
    forcedFailure: null,
  });
  return actor({ _id: id, kind: 'payment', ...TENANT, status: 'pending', context: { ...made } });
}

/** A document that has lost a field. */
function corrupted(doc: StoredActor, field: string): StoredActor {
  return { ...doc, context: { ...doc.context, [field]: 'lost' } };
}

function chargeOf(paymentId: string): ChargeDoc {
  const token = catalog.tokenByKey(TERMS.tokenKey)?.address ?? '';
  return charge({ _id: `charge_${paymentId}`, paymentId, ...TENANT, chainId: CHAIN_ID, token, from: WALLET });
}

async function askedAbout(...paymentIds: readonly string[]) {
  const answers = await reserves(paymentIds.map(chargeOf), 'exact');
  return Object.fromEntries([...answers].map(([id, { sure }]) => [id.replace('charge_', ''), sure]));
}

const CHARGE = 9_900_000n;

describe('the reserve of charges', () => {
  beforeEach(async () => {
    await insertActors(store, [subscription('sub_a', START), subscription('sub_b', '2026-02-01T10:00:00.000Z')]);
    await insertActors(store, [payment('pay_a', 'sub_a'), payment('pay_b', 'sub_b'), payment('pay_once', null)]);
  });

  it('is computed for each charge', async () => {
    expect(await askedAbout('pay_a', 'pay_b', 'pay_once')).toEqual({ pay_a: 0n, pay_b: CHARGE, pay_once: 2n * CHARGE });
    expect(lines).toEqual([]);
  });

  it('is at most the sum of all live ones, and not known for a wallet to which a subscription moves', async () => {
    const { context, ...doc } = subscription('sub_moves', START);
    const over = { ...subscription('sub_over', START), status: 'canceled' };
    await insertActors(store, [corrupted(subscription('sub_lost', START), 'terms'), over]);
    const atMost = async () => [...(await reserves([chargeOf('pay_a')], 'at_most')).values()];
    expect(await atMost()).toEqual([{ sure: 2n * CHARGE + 2n, unsure: 0n, paymentIds: new Set() }]);
    const moving = { ...doc, context: { ...context, payerWallet: '0x1', migration: { wallet: WALLET } } };
    await insertActors(store, [moving]);
    expect(await atMost()).toEqual([]);
  });

  it('is missing for an unreadable payment, but not for the others', async () => {
    await insertActors(store, [corrupted(payment('pay_lost', 'sub_a'), 'cycleOf')]);
    expect(await askedAbout('pay_lost', 'pay_b')).toEqual({ pay_b: CHARGE });
    await askedAbout('pay_lost');
    expect(lines.map(({ detail }) => detail)).toEqual([expect.objectContaining({ id: 'pay_lost', kind: 'payment' })]);
  });

  it('is missing for an unreadable subscription, whose money others cannot use', async () => {
    await insertActors(store, [corrupted(subscription('sub_lost', START), 'terms')]);
    await insertActors(store, [payment('pay_lost', 'sub_lost')]);
    expect(await askedAbout('pay_lost', 'pay_b')).toEqual({ pay_b: CHARGE });
    expect(lines.map(({ detail }) => detail)).toEqual([expect.objectContaining({ id: 'sub_lost' })]);
  });

  it.each([
    ['the payer has revoked the agreement', { revokedAt: new Date(START) }],
    ['its charges are used up', { usedUpAt: new Date(START) }],
  ])('leaves nothing for a subscription if %s', async (_why, end) => {
    const router = '0x0000000000000000000000000000000000000009';
    const [first, second] = [mandateDoc({ _id: '0xfirst', router }), mandateDoc({ _id: '0xsecond', router })];
    await store.records.insert('mandates', [first, second]);
    const consented = (doc: StoredActor, mandateId: string): StoredActor => {
      return { ...doc, context: { ...doc.context, consent: { mandateId, router } } };
    };
    await insertActors(store, [
      consented(subscription('sub_first', START), first._id),
      consented(subscription('sub_second', '2026-02-01T10:00:00.000Z'), second._id),
    ]);
    await insertActors(store, [payment('pay_second', 'sub_second')]);
    const asked = { ...chargeOf('pay_second'), router, mandate: { id: second._id, cycle: 1 } };
    const aside = async () => (await reserves([asked], 'exact')).get(asked._id)?.sure ?? 0n;
    const before = await aside();
    await store.records.change('mandates', first._id, {}, { set: end });
    expect(await aside()).toBe(before - CHARGE);
  });
});
