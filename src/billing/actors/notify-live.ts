import type { Engine } from '../../engine/engine.ts';
import type { Dispatch, Dispatched, EffectResult, EffectSource } from '../../engine/types.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import type { TenantWhere } from '../../store/tenant.ts';
import { livePages } from './live-subscriptions.ts';

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
  { store, engine }: NotifyDeps,
  { merchantId, mode }: EffectSource,
  where: TenantWhere,
  eventFor: (doc: ActorDoc) => Dispatch<'subscription'> | null,
): Promise<EffectResult> {
  return notifyPages(engine, livePages(store, { merchantId, mode }, where), eventFor);
}

/** As `notifyLive`, for actors found in another way. */
export async function notifyPages(
  engine: NotifyDeps['engine'],
  pages: AsyncIterable<readonly ActorDoc[]>,
  eventFor: (doc: ActorDoc) => Dispatch | null,
): Promise<EffectResult> {
  const quarantined: string[] = [];
  for await (const page of pages) {
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
