import type { Deferral } from '../../../machines/subscription/context.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { Log } from '../../log.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import { type Tenant, tenantStore } from '../../store/tenant.ts';
import { type TellingDeps, tellPages } from '../effects/tell-live.ts';

const PAGE = 250;

/**
 * Makes the tenant's subscriptions due whose due charge was not attempted for this reason (docs/rules.md, "Money": Not
 * attempted), so that they do not wait for the end of their pauses. They are looked at as always: what is still missing
 * defers them again. Found by an index, so that the cost follows how many are deferred. Repeated it changes nothing more.
 */
export function wakeDeferred(
  { store, engine }: TellingDeps,
  { merchantId, mode }: Tenant,
  why: Deferral,
): Promise<EffectResult> {
  const event = { type: 'deferral.lifted', why } as const;
  return tellPages(engine, deferredPages(store, { merchantId, mode }, why), ({ _id: id }) => {
    return { kind: 'subscription', id, event, by: 'billing' };
  });
}

/** A merchant is active again: what was not attempted meanwhile is due now. Where that fails, the pauses of each end it. */
export async function wakeReinstated(deps: TellingDeps & { readonly log: Log }, merchantId: string): Promise<void> {
  try {
    await wakeDeferred(deps, { merchantId, mode: 'live' }, 'merchant_suspended');
    await wakeDeferred(deps, { merchantId, mode: 'test' }, 'merchant_suspended');
  } catch (error) {
    deps.log.warn({ merchantId, err: error }, 'what waited for a reinstated merchant waits for the end of its pauses');
  }
}

async function* deferredPages(store: Store, tenant: Tenant, why: Deferral): AsyncGenerator<readonly ActorDoc[]> {
  for (let after = ''; ; ) {
    const page = await tenantStore(store, tenant).findActors('subscription', {
      where: { 'context.deferred.why': why, _id: { gt: after } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last._id;
  }
}
