import type { EffectOf } from '../../../machines/effects.ts';
import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { EffectHandler } from '../../engine/types.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { paymentContextOf, playOf } from '../../model/payment.ts';
import { refundWatchId } from '../../model/refund.ts';
import type { WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { partitionOf } from '../../store/ids.ts';
import { withPayments } from '../deposits/effects.ts';
import type { BillingDeps } from '../deps.ts';

export type RefundWatchDeps = Pick<BillingDeps, 'store' | 'catalog' | 'clock'>;

/** The pause before the first check without a transfer to the receiver, which triggers one at once. */
const FIRST_CHECK_MS = 15_000;

/** `refund.watch`: starts to search for the transfers of the payment's refunds. */
export function watchRefundsOf(deps: BillingDeps): EffectHandler<EffectOf<'refund.watch'>> {
  return (items) => withPayments(deps, items, (payment) => watchRefunds(deps, payment));
}

/** Watches the receiver of the newest refund: a transfer to it triggers a check. Idempotent. */
export async function watchRefunds({ store, catalog, clock }: RefundWatchDeps, payment: ActorDoc): Promise<void> {
  const refunds = refundsOf(paymentContextOf(payment));
  const newest = refunds.at(-1);
  if (newest === undefined) return;
  const { chainId, token } = playOf(catalog, payment);
  const wallet = comparableAddress(catalog.chain(chainId)?.family ?? 'evm', newest.receiver);
  const now = clock();
  const fresh = {
    partition: partitionOf(wallet),
    wallet,
    lookAt: new Date(now.getTime() + FIRST_CHECK_MS),
    looks: 0,
    createdAt: now,
  };
  const { merchantId, mode } = payment;
  const { since } = refunds[0] ?? newest;
  // It has no operator, and is no deposit address.
  const watch: Omit<WatchDoc, '_id'> = { ...fresh, merchantId, mode, chainId, token, operator: '', since };
  await store.records.upsert('watches', refundWatchId(payment._id), watch, { set: fresh });
}
