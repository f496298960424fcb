import type { Deferral } from '../../../machines/subscription/context.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { Log } from '../../observability/log.ts';
import { type Tenant, tenantStore } from '../../store/tenant.ts';
import { type NotifyDeps, notifyPages } from '../effects/notify-live.ts';
import { wakePaused } from '../payments/paused.ts';
import { pagesOf } from './live-subscriptions.ts';

/**
 * Makes the tenant's subscriptions due whose due charge was not attempted for this reason (docs/rules.md, "Money": Not
 * attempted), so that they do not wait for the end of their pauses. They are checked as always: what is still missing
 * defers them again. Found by an index, so that the cost follows how many are deferred. Repeated it changes nothing more.
 */
export function wakeDeferred(
  { store, engine }: NotifyDeps,
  { merchantId, mode }: Tenant,
  why: Deferral,
): Promise<EffectResult> {
  const mine = tenantStore(store, { merchantId, mode });
  const pages = pagesOf((query) => mine.findActors('subscription', query), { 'context.deferred.why': why });
  const event = { type: 'deferral.lifted', why } as const;
  return notifyPages(engine, pages, ({ _id: id }) => ({ kind: 'subscription', id, event, by: 'billing' }));
}

/** A merchant is active again: what was not attempted meanwhile is due now. Where that fails, the pauses of each end it. */
export async function wakeReinstated(deps: NotifyDeps & { readonly log: Log }, merchantId: string): Promise<void> {
  try {
    for (const mode of ['live', 'test'] as const) {
      await wakeDeferred(deps, { merchantId, mode }, 'merchant_suspended');
      await wakePaused(deps, { merchantId, mode }, 'merchant_suspended');
    }
  } catch (error) {
    deps.log.warn({ merchantId, err: error }, 'what waited for a reinstated merchant waits for the end of its pauses');
  }
}
