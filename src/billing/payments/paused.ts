import type { PauseReason } from '../../../machines/payment/context.ts';
import type { EffectResult } from '../../engine/types.ts';
import { paymentContextOf } from '../../model/payment.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { type NotifyDeps, notifyAll } from '../actors/notify-live.ts';
import type { BillingDeps } from '../deps.ts';
import { mandatesOf } from '../mandates/mandates.ts';
import { type RecipientDeps, recipientsOf } from '../payout/recipients.ts';

const LIFTED = { type: 'pause.lifted' } as const;

/**
 * Retries the tenant's payments that are paused for this reason at once (docs/rules.md, "Payments"). If the obstacle
 * persists, they pause again. An index finds them, so the cost grows with the paused ones. Idempotent.
 */
export function wakePaused(deps: NotifyDeps, tenant: Tenant, why: PauseReason): Promise<EffectResult> {
  const lift = ({ _id: id }: ActorDoc) => ({ kind: 'payment', id, event: LIFTED, by: 'billing' }) as const;
  return notifyAll(deps, tenant, 'payment', { 'context.pausedFor': why }, lift);
}

/**
 * Retries cycles that have just paused because the payout wallet did not accept its share, if their payout wallet has
 * changed: it was changed while they were under way, when there was no pause to end.
 */
export async function wakeRedirected(
  deps: RecipientDeps & Pick<BillingDeps, 'engine' | 'mandates'>,
  charges: readonly ChargeDoc[],
): Promise<void> {
  const cycles = charges.filter(({ isCycle }) => isCycle);
  if (cycles.length === 0) return;
  const payments = await deps.engine.recall(
    'payment',
    cycles.map(({ paymentId }) => paymentId),
  );
  const mandates = await mandatesOf(
    deps,
    payments.map((payment) => paymentContextOf(payment).consent),
  );
  const recipients = await recipientsOf(deps, payments, mandates);
  const redirected = cycles.filter(({ paymentId, shares }) => {
    const to = recipients.get(paymentId) ?? null;
    return to !== null && shares.some((share) => share.role === 'forward' && share.to !== to);
  });
  await deps.engine.dispatchMany(
    redirected.map(({ paymentId: id }) => ({ kind: 'payment', id, event: LIFTED, by: 'billing' })),
  );
}
