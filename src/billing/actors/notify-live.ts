import type { Engine } from '../../engine/engine.ts';
import type { Dispatch, Dispatched, EffectResult, EffectSource } from '../../engine/types.ts';
import { LIVE_STATUSES } from '../../model/subscription.ts';
import type { ActorDoc, ActorKind, Tenant } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/port.ts';
import { type TenantWhere, tenantStore } from '../../store/tenant.ts';

/** The dependencies of sending events to many actors. */
export interface NotifyDeps {
  readonly store: Store;
  readonly engine: Pick<Engine, 'dispatchMany'>;
}

/**
 * Sends an event to each live subscription of the source's tenant that matches `where`. A subscription that refuses it
 * has ended meanwhile or had it before. The result is held while any is quarantined.
 */
export function notifyLive(
  deps: NotifyDeps,
  source: EffectSource,
  where: TenantWhere,
  eventFor: (doc: ActorDoc) => Dispatch<'subscription'> | null,
): Promise<EffectResult> {
  return notifyAll(deps, source, 'subscription', { ...where, status: { in: LIVE_STATUSES } }, eventFor);
}

/**
 * As `notifyLive`, for all actors of a kind. May miss one that is created meanwhile; a subscription corrects that after
 * its creation (`latecomers.ts`).
 */
export async function notifyAll(
  { store, engine }: NotifyDeps,
  tenant: Tenant,
  kind: ActorKind,
  where: TenantWhere,
  eventFor: (doc: ActorDoc) => Dispatch | null,
): Promise<EffectResult> {
  const mine = tenantStore(store, tenant);
  const quarantined: string[] = [];
  for await (const page of pagesOf((query) => mine.findActors(kind, query), where)) {
    const events = page.map(eventFor).filter((event) => event !== null);
    quarantined.push(...quarantinedOf(await engine.dispatchMany(events)));
  }
  const [first] = quarantined;
  return first === undefined ? 'done' : { held: `quarantined: ${quarantined.length} of them, such as ${first}` };
}

/** The subscriptions in quarantine: they can be notified once they are released. */
export function quarantinedOf(results: readonly Dispatched[]): string[] {
  return results.flatMap((result) => (result.kind === 'quarantined' ? [result.doc._id] : []));
}

/** A live subscription of the tenant that matches `where`, or null. */
export async function findLive(store: Store, tenant: Tenant, where: TenantWhere): Promise<ActorDoc | null> {
  const query = { where: { ...where, status: { in: LIVE_STATUSES } }, limit: 1 };
  const [found] = await tenantStore(store, tenant).findActors('subscription', query);
  return found ?? null;
}
