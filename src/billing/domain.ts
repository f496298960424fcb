import type { Effect, EffectOf, WebhookEvent } from '../../machines/effects.ts';
import { LISTED_EVENTS } from '../../machines/rules/event-kinds.ts';
import type { Domain } from '../engine/engine.ts';
import type { EffectHandler, EffectHandlers, EffectResult } from '../engine/types.ts';
import { isAwaited } from '../model/awaited.ts';
import { endedWithCoupon } from '../model/subscription.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { each } from './actors/effect-results.ts';
import type { AllowanceWatcher } from './allowances/allowance-watcher.ts';
import { claimChanges } from './allowances/claim-changes.ts';
import { endSessions } from './checkout/pay.ts';
import { couponReleases, releaseCoupons } from './coupons/redemptions.ts';
import type { DepositWatcher } from './deposits/deposit-watcher.ts';
import { settleDepositsOf, watchDeposits } from './deposits/effects.ts';
import type { BillingDeps, WorkerDeps } from './deps.ts';
import { ChargeAdmission } from './due/charge-admission.ts';
import { dueEventsFor } from './due/due-events.ts';
import type { ExtraEvents } from './events/extra-events.ts';
import { letterEffects } from './letters/letter-effects.ts';
import { writeLetters } from './letters/write-letters.ts';
import { redeemReservations, releaseReservations } from './offers/inventory.ts';
import { notifySubscription, requestCharge } from './payments/effects/request-charge.ts';
import { wakePaused } from './payments/paused.ts';
import { announceWallets } from './payout/announcements.ts';
import { watchRefundsOf } from './refunds/refund-watcher.ts';
import { wakeDeferred } from './subscriptions/deferred.ts';
import { cancelSubscriptions } from './subscriptions/effects/cancel-subscriptions.ts';
import { settleLatecomers } from './subscriptions/effects/latecomers.ts';
import { linkPayer } from './subscriptions/effects/link-payer.ts';
import { scheduleCharge, withdrawCharge } from './subscriptions/effects/notify-payments.ts';
import { openCharge } from './subscriptions/effects/open-charge.ts';

export type WebhooksPart = Pick<Webhooks, 'handlers'>;

/** Billing as the engine sees it: this process's effect handlers, the events for due actors, and their admission. */
export function billingDomain(
  deps: BillingDeps,
  watcher: AllowanceWatcher,
  webhooks: WebhooksPart,
  extraEvents: ExtraEvents,
  deposits: DepositWatcher,
  sendsLetters: boolean,
): Domain {
  return {
    dueEvents: dueEventsFor({ ...deps, deposits }),
    admit: new ChargeAdmission(deps).admit,
    admits: (effect, doc) => effect.type !== 'webhook.emit' || isListed(effect.event) || extraEvents.wants(doc),
    follows: (before, after, effects, by) => {
      const settings = sendsLetters ? extraEvents.letters(after) : null;
      const letters = settings === null ? [] : letterEffects(before, after, effects, settings, by);
      const releases = endedWithCoupon(after) ? couponReleases(before, after) : [];
      return [...claimChanges(before, after), ...releases, ...letters];
    },
    beforeBatch: (docs) => extraEvents.read(docs),
    isAwaited,
    handlers: deps.ledger && handlersOf({ ...deps, ledger: deps.ledger }, watcher, webhooks),
  };
}

function handlersOf(deps: WorkerDeps, watcher: AllowanceWatcher, webhooks: WebhooksPart): EffectHandlers {
  return {
    ...webhooks.handlers,
    'letter.write': writeLetters(deps),
    'charge.open': openCharge(deps),
    'charge.withdraw': withdrawCharge(deps.engine),
    'charge.schedule': scheduleCharge(deps.engine),
    'charge.request': requestCharge(deps),
    'deposit.watch': watchDeposits(deps),
    'deposit.settle': settleDepositsOf(deps),
    'refund.watch': watchRefundsOf(deps),
    'subscription.tell': notifySubscription(deps),
    'allowance.watch': watchAllowance(deps, watcher),
    'allowance.unwatch': unwatchAllowance(watcher),
    'allowance.changed': noteClaims(watcher),
    'unit.count': andSessions(deps, redeemReservations(deps.store)),
    'unit.free': andSessions(deps, releaseReservations(deps.store)),
    'coupon.release': releaseCoupons(deps),
    'subscriptions.cancel': cancelSubscriptions(deps),
    'payer.link': linkPayer(deps),
    'payout.registered': followPayout(deps),
  };
}

const HELD: EffectResult = { held: 'quarantined' };

/** True for the reference's ten events, which every endpoint gets; others are for endpoints that opted in. */
function isListed(event: WebhookEvent): boolean {
  return LISTED_EVENTS.some((listed) => listed === event);
}

/**
 * Adds the watch. The first check follows at once, or on the watch's schedule if the chain does not answer. Every new
 * subscription emits this effect when it is created, so latecomers are found here too.
 */
function watchAllowance(deps: BillingDeps, watcher: AllowanceWatcher): EffectHandler<EffectOf<'allowance.watch'>> {
  const { store, log } = deps;
  return async (items) => {
    const ids = items.map(({ source }) => source.id);
    const docs = await store.actors.load('subscription', ids);
    const made = new Set(items.flatMap(({ source, effect }) => (effect.interest === 'charge' ? source.id : [])));
    const aside = await settleLatecomers(
      deps,
      docs.filter(({ _id }) => made.has(_id)),
    );
    const byId = new Map(docs.map((doc) => [doc._id, doc]));
    await Promise.all(
      items.map(async ({ source, effect }) => {
        const doc = byId.get(source.id);
        if (doc && doc.status !== 'canceled') await watcher.watch(doc, effect.interest);
      }),
    );
    watcher
      .check(ids)
      .catch((error: unknown) => log.warn({ err: error }, 'the first check of an allowance has to wait'));
    return items.map(({ source }): EffectResult => (aside.has(source.id) ? HELD : 'done'));
  };
}

/** Announces a new address where payers have signed others, and retries the charges that waited for one. */
function followPayout(deps: WorkerDeps): EffectHandler<EffectOf<'payout.registered'>> {
  return (items) =>
    each(items, async ({ source }) => {
      await announceWallets(deps, source);
      const results = [
        await wakeDeferred(deps, source, 'no_payout_wallet'),
        await wakePaused(deps, source, 'no_payout_wallet'),
        await wakePaused(deps, source, 'forward_reverted'),
      ];
      return results.find((result) => result !== 'done') ?? 'done';
    });
}

/** A payment of the checkout counts or releases a unit when it ends, and so may its session. */
function andSessions<E extends Effect>(deps: WorkerDeps, units: EffectHandler<E>): EffectHandler<E> {
  return async (items) => {
    const results = await units(items);
    const ofPayments = items.filter(({ source }) => source.collection === 'payment');
    await endSessions(
      deps,
      ofPayments.map(({ source }) => source.id),
    );
    return results;
  };
}

/** The next tick reads the allowances again. */
function noteClaims(watcher: AllowanceWatcher): EffectHandler<EffectOf<'allowance.changed'>> {
  return async (items) => {
    await watcher.claimsChanged(items);
    return items.map((): EffectResult => 'done');
  };
}

function unwatchAllowance(watcher: AllowanceWatcher): EffectHandler<EffectOf<'allowance.unwatch'>> {
  return async (items) => {
    await watcher.unwatch(items.map(({ source, effect }) => ({ id: source.id, interest: effect.interest })));
    return items.map((): EffectResult => 'done');
  };
}
