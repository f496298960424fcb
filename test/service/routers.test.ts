import { newPayment } from '../../machines/payment/context.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { ConfigError } from '../../src/config/config.ts';
import { refundWatchId } from '../../src/model/refund.ts';
import { settleRouters } from '../../src/service/routers.ts';
import type { CheckoutSessionDoc, DepositDoc, PermitDoc } from '../../src/store/collections.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { newMonthly } from '../machines/support/subscription.ts';
import {
  actor,
  arrival,
  at,
  charge,
  deposit,
  insertActors,
  permit,
  transaction,
  watch,
} from '../store/support/documents.ts';
import { PAYMENT_ATTRIBUTES } from '../support/cycle-payment.ts';
import { settledPayment } from '../support/settled-payment.ts';

const BASE = 8453;
const OLD = '0x0000000000000000000000000000000000000001';
const NEW = '0x0000000000000000000000000000000000000002';

let store: LedgerStore;
let now: Date;
beforeEach(() => {
  store = openMemoryStore();
  now = at(0);
});

function start(...routers: string[]) {
  const chain = { chainId: BASE, family: 'evm', testnet: false, rpcUrls: ['http://node'], routers } as const;
  return settleRouters({ store, catalog: buildCatalog(), clock: () => now }, [chain]);
}

/** The old router is in front of nobody any more. */
async function replaceRouter(): Promise<void> {
  await start(OLD);
  await start(NEW, OLD);
}

const used = async (...routers: string[]): Promise<string> => {
  const error: unknown = await start(...routers).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.problems.join('\n') : 'started';
};

/** A live subscription in USDC on Base; `router`: of its payer's consent. Without one it counts for every router. */
async function subscribe(status: string, router?: string, tokenKey = 'usdc-base'): Promise<void> {
  const consented = router === undefined ? {} : { consent: { mandateId: null, router } };
  const context = newMonthly({ terms: { tokenKey }, ...consented });
  await insertActors(store, [actor({ mode: 'live', status, context })]);
}

function depositOf(_id: string, router: string, left: string): DepositDoc {
  const arrived = arrival({
    amount: '10',
    charged: String(10n - BigInt(left)),
    ...(left === '0' ? { fate: 'charged', held: null } : {}),
  });
  return deposit({ _id, mode: 'live', chainId: BASE, router, due: '10', since: null, arrivals: [arrived] });
}

/** A session whose wallet has signed for the old router. */
function session(_id: string, fields: Partial<CheckoutSessionDoc>): CheckoutSessionDoc {
  return {
    _id,
    merchantId: 'mrc_a',
    mode: 'live',
    rev: 1,
    kind: 'subscription',
    offerId: 'offer_1',
    terms: {
      offerName: 'Coffee',
      priceId: 'price_1',
      tokenKey: 'usdc-base',
      chainId: BASE,
      amount: '1',
      splits: [],
      destination: null,
      afterCompletion: {},
    },
    wallet: '0xw',
    message: 'm',
    signature: '0x',
    consent: { mandateId: 'm', router: OLD },
    collected: { email: null, phone: null, name: null, others: {} },
    refundWallet: null,
    requestHash: 'h',
    customerId: null,
    subscriptionId: null,
    isExisting: false,
    paymentIds: [],
    closed: null,
    createdAt: at(0),
    expiresAt: at(1),
    purgeAt: at(2),
    ...fields,
  };
}

function permitOf(_id: string, router: string, state: PermitDoc['state']): PermitDoc {
  return permit({ _id, mode: 'live', chainId: BASE, router, state });
}

describe('a start', () => {
  it('remembers the former routers', async () => {
    expect((await start(OLD)).get(BASE)).toEqual([]);
    expect((await start(NEW, OLD)).get(BASE)).toEqual([]);
    expect((await start(NEW)).get(BASE)).toEqual([OLD]);
    expect((await start()).get(BASE)).toEqual([OLD]);
    expect((await start(NEW, OLD)).get(BASE)).toEqual([]);
  });

  it('leaves a chain alone that has no router, and keeps its routers', async () => {
    await start(OLD);
    await store.records.insert('charges', [charge({ chainId: BASE, router: OLD })]);
    await start();
    expect(await used(NEW)).toContain(`drops ${OLD}`);
  });

  it('is refused if it drops a router that is in use, and names the open work there', async () => {
    await replaceRouter();
    await subscribe('active');
    await subscribe('past_due', OLD);
    await subscribe('active', NEW);
    await subscribe('canceled', OLD);
    await subscribe('active', undefined, 'usdc-arbitrum');
    const landed = charge({ chainId: BASE, state: 'final', router: OLD });
    await store.records.insert('charges', [
      charge({ chainId: BASE, router: OLD }),
      charge({ chainId: BASE, state: 'sent', router: NEW }),
      charge({ chainId: BASE, state: 'final', router: OLD }),
      charge({ chainId: 10, router: OLD }),
      landed,
    ]);
    await store.records.insert('transactions', [
      transaction({ chainId: BASE, state: 'final', chargeIds: [landed._id] }),
    ]);
    await store.records.insert('deposits', [depositOf('pay_1', OLD, '4'), depositOf('pay_2', OLD, '0')]);
    await store.records.insert('permits', [permitOf('prm_1', OLD, 'sent'), permitOf('prm_2', OLD, 'taken')]);
    expect(await used(NEW)).toBe(
      `ROUTER_8453 drops ${OLD}, which is still in use: 2 live subscriptions, 2 open charges, 1 deposit not swept, 1 permit; expected it after the newer ones until they are over`,
    );
    expect(await used(OLD)).toContain(`drops ${NEW}, which is still in use: 2 live subscriptions, 1 open charge; `);
    expect(await used(NEW, OLD)).toBe('started');
  });

  it('is refused while a wallet that has signed for the router may still buy', async () => {
    await replaceRouter();
    const bought = { subscriptionId: 'sub_1' };
    await store.records.insert('checkoutSessions', [
      session('a', {}),
      session('b', bought),
      session('c', { closed: 'settled' }),
      session('d', { expiresAt: at(-1) }),
    ]);
    expect(await used(NEW)).toContain('still in use: 1 open checkout session; ');
  });

  it('ends charges of canceled payments that wait for the dropped router', async () => {
    await replaceRouter();
    const [unwanted, wanted] = [charge({ chainId: BASE, router: OLD }), charge({ chainId: BASE, router: NEW })];
    await store.records.insert('charges', [unwanted, wanted]);
    expect(await used(NEW)).toContain('still in use: 1 open charge; ');
    await insertActors(store, [
      actor({ _id: unwanted.paymentId, kind: 'payment', status: 'canceled' }),
      actor({ _id: wanted.paymentId, kind: 'payment', status: 'canceled' }),
    ]);
    expect(await used(NEW)).toBe('started');
    const states = await store.records.get('charges', [unwanted._id, wanted._id]);
    expect(new Map(states.map(({ _id, state }) => [_id, state]))).toEqual(
      new Map([
        [unwanted._id, 'withdrawn'],
        [wanted._id, 'waiting'],
      ]),
    );
  });

  it('is refused for a one-off payment that the payer of the router has not been charged for', async () => {
    await replaceRouter();
    const wish = { id: 'pay_1', cycleOf: null, amount: '1', fromWallet: '0xw', toWallet: null, forcedFailure: null };
    const context = newPayment({ ...wish, consent: { mandateId: null, router: OLD } });
    const attributes = { ...PAYMENT_ATTRIBUTES, chainId: BASE, tokenKey: 'usdc-base' };
    await insertActors(store, [actor({ kind: 'payment', mode: 'live', status: 'pending', attributes, context })]);
    expect(await used(NEW)).toContain('still in use: 1 pending payment; ');
  });

  it('is refused while a refund is open that was requested before a newer router came', async () => {
    const refund = async (requestedAt: Date) => {
      const open = { status: 'requested', transfer: null, settledAt: null } as const;
      const { id } = await settledPayment(store, { refunds: [{ ...open, requestedAt: requestedAt.toISOString() }] });
      await store.records.insert('watches', [watch({ _id: refundWatchId(id), chainId: BASE })]);
    };
    await start(OLD);
    await refund(at(0));
    now = at(1_000);
    await start(NEW, OLD);
    await refund(at(2_000));
    expect(await used(NEW)).toContain('still in use: 1 open refund; ');
    expect(await used(OLD)).toContain('still in use: 2 open refunds; ');
  });
});
