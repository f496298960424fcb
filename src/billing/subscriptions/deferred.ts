import type { Deferral } from '../../../machines/subscription/context.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { Log } from '../../observability/log.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { type NotifyDeps, notifyAll } from '../actors/notify-live.ts';
import { wakePaused } from '../payments/paused.ts';

/**
 * Makes the tenant's subscriptions due whose charge was deferred for this reason (docs/rules.md, "Money": Not
 * attempted), before their pauses end. They are checked as usual, and may be deferred again. An index finds them, so
 * the cost grows with the deferred ones. Idempotent.
 */
export function wakeDeferred(deps: NotifyDeps, tenant: Tenant, why: Deferral): Promise<EffectResult> {
  const event = { type: 'deferral.lifted', why } as const;
  const lift = ({ _id: id }: ActorDoc) => ({ kind: 'subscription', id, event, by: 'billing' }) as const;
  return notifyAll(deps, tenant, 'subscription', { 'context.deferred.why': why }, lift);
}

/**
 * Makes the deferred charges of a reinstated merchant due now. If that fails, they are due at the end of their pauses.
 */
export async function wakeReinstated(deps: NotifyDeps & { readonly log: Log }, merchantId: string): Promise<void> {
  try {
    for (const mode of ['live', 'test'] as const) {
      await wakeDeferred(deps, { merchantId, mode }, 'merchant_suspended');
      await wakePaused(deps, { merchantId, mode }, 'merchant_suspended');
    }
  } catch (error) {
    deps.log.warn(
      { merchantId, err: error },
      'the charges of a reinstated merchant could not be made due; each is due when its pause ends',
    );
  }
}
