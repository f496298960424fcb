import { type EffectOf, LISTED_EVENTS, type WebhookEvent } from '../../machines/effects.ts';
import type { Domain } from '../engine/engine.ts';
import type { EffectHandler, EffectHandlers, EffectResult } from '../engine/types.ts';
import type { AllowanceLooker } from './allowances/looker.ts';
import type { BillingDeps } from './deps.ts';
import { openCharge } from './effects/open-charge.ts';
import { requestCharge } from './effects/request-charge.ts';
import { scheduleCharge, tellSubscription, withdrawCharge } from './effects/tell.ts';
import { countUnits, freeUnits } from './units.ts';
import { wakesFor } from './wakes.ts';

/** The part of the table that the webhooks bring. */
export type WebhookHandlers = Pick<EffectHandlers, 'webhook.emit' | 'webhook.send' | 'delivery.next'>;

/** What the engine needs to know of billing: the one table from effects to what carries them out, and what waking means. */
export function billingDomain(deps: BillingDeps, looker: AllowanceLooker, webhooks: WebhookHandlers): Domain {
  return {
    wakesFor: wakesFor(deps),
    admits: (effect) => effect.type !== 'webhook.emit' || isListed(effect.event),
    handlers: {
      ...webhooks,
      'charge.open': openCharge(deps),
      'charge.withdraw': withdrawCharge(deps.engine),
      'charge.schedule': scheduleCharge(deps.engine),
      'charge.request': requestCharge(deps),
      'subscription.tell': tellSubscription(deps.engine),
      'allowance.watch': watchAllowance(deps, looker),
      'allowance.unwatch': unwatchAllowance(looker),
      'unit.count': countUnits(deps.store),
      'unit.free': freeUnits(deps.store),
    },
  };
}

/** Everybody gets the reference's ten; the extra ones only endpoints that asked for them. */
function isListed(event: WebhookEvent): boolean {
  return LISTED_EVENTS.some((listed) => listed === event);
}

/** The interest is noted; the first look follows at once and, when the chain does not answer, on the watch's schedule. */
function watchAllowance(
  { store, log }: BillingDeps,
  looker: AllowanceLooker,
): EffectHandler<EffectOf<'allowance.watch'>> {
  return async (items) => {
    const ids = items.map(({ source }) => source.id);
    const docs = await store.actors.load('subscription', ids);
    await Promise.all(docs.map((doc) => looker.watch(doc)));
    looker.look(ids).catch((error: unknown) => log.warn({ err: error }, 'the first look at an allowance has to wait'));
    return items.map((): EffectResult => 'done');
  };
}

function unwatchAllowance(looker: AllowanceLooker): EffectHandler<EffectOf<'allowance.unwatch'>> {
  return async (items) => {
    await looker.unwatch(items.map(({ source }) => source.id));
    return items.map((): EffectResult => 'done');
  };
}
