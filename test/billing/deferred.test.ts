import { blockedReasonOf } from '../../machines/payment/changes.ts';
import type { Deferral } from '../../machines/subscription/context.ts';
import { wakeRedirected } from '../../src/billing/payments/paused.ts';
import { requirePayment } from '../../src/billing/payments/payments.ts';
import { BY_MERCHANT, unregisterWallet } from '../../src/billing/payout/wallet-changes.ts';
import { listWallets, registerWallet } from '../../src/billing/payout/wallets.ts';
import { wakeDeferred } from '../../src/billing/subscriptions/deferred.ts';
import type { Create } from '../../src/engine/types.ts';
import { paymentContextOf } from '../../src/model/payment.ts';
import type { Tenant } from '../../src/store/documents.ts';
import type { InProcessService } from '../../stage/in-process-service.ts';
import { until } from '../../stage/until.ts';
import { newMonthly } from '../machines/support/subscription.ts';
import { REASON, staff as staffCall } from '../staff/support/staff.ts';
import { ALICE, BOB } from '../support/bodies.ts';
import { type HttpHarness, startHttp } from '../support/http.ts';
import { pausedCycle } from './support/paused-cycle.ts';

const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;
const IN_AN_HOUR = '2030-01-15T11:00:00.000Z';

let http: HttpHarness;
let billing: InProcessService;
beforeEach(async () => {
  http = await startHttp();
  ({ billing } = http);
});

function deps() {
  return { store: http.store, engine: billing.engine };
}

/**
 * A subscription with a check in an hour. Its first charge is due and deferred for `why`, or not due if that is null.
 */
function putOff(id: string, why: Deferral | null, { merchantId, mode }: Tenant = TENANT): Create {
  const made = newMonthly({ id, payerWallet: ALICE });
  const since = '2030-01-15T09:00:00.000Z';
  const deferred = why === null ? null : { why, since, times: 9 };
  const context = { ...made, authorizedAt: since, allowanceConfirmed: true, deferred, wakeAt: IN_AN_HOUR };
  return { kind: 'subscription', id, merchantId, mode, attributes: {}, context, by: 'test' };
}

async function wakesAt(id: string): Promise<string | undefined> {
  const [doc] = await http.store.actors.load('subscription', [id]);
  return doc?.wakeAt?.toISOString();
}

describe('deferred charges', () => {
  it('are due when the cause is gone, only those of this tenant and this cause', async () => {
    const others = [
      putOff('sub_other_cause', 'no_payout_wallet'),
      putOff('sub_other_mode', 'merchant_suspended', { ...TENANT, mode: 'live' }),
      putOff('sub_other_merchant', 'merchant_suspended', { ...TENANT, merchantId: 'mrc_2' }),
      putOff('sub_not_put_off', null),
    ];
    await billing.engine.create('subscription', [putOff('sub_mine', 'merchant_suspended'), ...others]);
    expect(await wakeDeferred(deps(), TENANT, 'merchant_suspended')).toBe('done');
    expect(await wakesAt('sub_mine')).toBe(http.now.toISOString());
    for (const { id } of others) expect(await wakesAt(id)).toBe(IN_AN_HOUR);
    await billing.quiet();
  });

  it('are all found, however many there are', async () => {
    const ids = Array.from({ length: 600 }, (_, index) => `sub_${String(index).padStart(4, '0')}`);
    await billing.engine.create(
      'subscription',
      ids.map((id) => putOff(id, 'merchant_suspended')),
    );
    await wakeDeferred(deps(), TENANT, 'merchant_suspended');
    const woken = await http.store.records.count('timers', { kind: 'subscription', at: { lte: http.now } });
    expect(woken).toBe(600);
    await billing.quiet();
  });

  it('wait behind a quarantined one, so that its effect is tried again', async () => {
    await billing.engine.create('subscription', [putOff('sub_aside', 'no_payout_wallet')]);
    await billing.engine.quarantine('subscription', 'sub_aside', 'a test');
    const held = await wakeDeferred(deps(), TENANT, 'no_payout_wallet');
    expect(held).toEqual({ held: 'quarantined: 1 of them, such as sub_aside' });
    await billing.quiet();
  });

  it('are due when a payout wallet is registered', async () => {
    const { merchant, testKey: key } = await http.merchant();
    const tenant = { merchantId: merchant._id, mode: 'test' } as const;
    await billing.engine.create('subscription', [putOff('sub_unpaid', 'no_payout_wallet', tenant)]);
    await http.call('POST', '/wallets', { key, body: { tokenKey: 'usdc-local-evm', receiverWallet: ALICE } });
    await billing.quiet();
    expect(await wakesAt('sub_unpaid')).toBe(http.now.toISOString());
  });
});

async function registers(merchantId: string, receiverWallet: string): Promise<void> {
  await registerWallet(http.deps, { merchantId, mode: 'test' }, { tokenKey: 'usdc-local-evm', receiverWallet });
}

/** Staff remove the address. */
async function removes(merchantId: string): Promise<void> {
  const tenant = { merchantId, mode: 'test' } as const;
  const [wallet] = await listWallets(http.deps, tenant);
  await unregisterWallet(http.deps, tenant, wallet?._id ?? '', BY_MERCHANT);
}

describe('a paused cycle', () => {
  it('does not start again while its merchant is suspended, but after that', async () => {
    const { merchantId, paymentId } = await pausedCycle(http);
    const staff = (verb: string) => staffCall(http, 'POST', `/merchants/${merchantId}/${verb}`, { reason: REASON });
    await staff('suspend');
    http.now = new Date(http.now.getTime() + 120_000);
    await billing.engine.dispatch({ kind: 'payment', id: paymentId, event: { type: 'pause.over' }, by: 'test' });
    await billing.quiet();
    const charges = () => http.store.records.count('charges', { paymentId });
    expect(await charges()).toBe(1);
    const shown = async () => blockedReasonOf(paymentContextOf(await requirePayment(http.deps, tenant, paymentId)));
    const tenant = { merchantId, mode: 'test' } as const;
    expect(await shown()).toBe('merchant_suspended');
    await staff('reinstate');
    expect(await until('its charge is made again', charges, (count) => count === 2)).toBe(2);
    await billing.quiet();
  });

  it.each([
    ['another address', (id: string) => registers(id, BOB)],
    ['its removal', removes],
  ] as const)('starts again at once by %s of the payout wallet', async (_, change) => {
    const { merchantId, paymentId } = await pausedCycle(http);
    const charges = () => http.store.records.count('charges', { paymentId });
    await change(merchantId);
    await billing.quiet();
    const [payment] = await http.store.actors.load('payment', [paymentId]);
    expect([await charges(), payment?.context['pauses']]).toEqual(change === removes ? [1, 2] : [2, 1]);
    if (change === removes) {
      expect(payment?.context['pausedFor']).toBe('no_payout_wallet');
      await registers(merchantId, BOB);
      await billing.quiet();
      expect(await charges()).toBe(2);
    }
  });

  it('starts again if the payout wallet was changed during its charge', async () => {
    const { paymentId } = await pausedCycle(http);
    const [charge] = await http.store.records.find('charges', { where: { paymentId }, limit: 1 });
    if (charge === undefined) throw new Error('no charge');
    const deps = { ...billing.deps, ledger: http.store.records };
    await wakeRedirected(deps, [charge]);
    expect(await http.store.records.count('charges', { paymentId })).toBe(1);
    const elsewhere = charge.shares.map((share) => ({ ...share, to: BOB }));
    await wakeRedirected(deps, [{ ...charge, shares: elsewhere }]);
    await billing.quiet();
    expect(await http.store.records.count('charges', { paymentId })).toBe(2);
  });
});
