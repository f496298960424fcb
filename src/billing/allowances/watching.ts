import type { Interest } from '../../../machines/effects.ts';
import { doubled } from '../../../machines/rules/backoff.ts';
import { isMigrationOver } from '../../../machines/subscription/changes.ts';
import { actorTime } from '../../engine/projection.ts';
import type { AllowanceChangeDoc, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Tenant } from '../../store/tenant.ts';
import { contextOf } from '../subscriptions/record.ts';
import type { ChainCharge } from './upcoming-charges.ts';

/** Pause between two checks of one watch without a log in between; a log of the wallet brings one at once. */
const CHECK_MS = { first: 15_000, most: 6 * 3_600_000 } as const;

/** The same for a change of an allowance that no node has answered yet, or only nodes without its block. */
const CHANGE_MS = { first: 1_000, most: 60_000 } as const;

/** After this, only a log, the page or `resume` brings a check. */
const CHECKS_END_MS = 30 * 86_400_000;

/** The id of the watch by which a subscription's payer is checked for this: one each, made and removed on their own. */
export function watchId(subscriptionId: string, interest: Interest): string {
  return interest === 'charge' ? subscriptionId : `${subscriptionId}:${interest}`;
}

/** Every watch that a subscription may have. */
export function watchIdsOf(subscriptionId: string): string[] {
  return (['charge', 'migration', 'risk'] as const).map((interest) => watchId(subscriptionId, interest));
}

/**
 * The id of the standing watch of an allowance. A chain whose logs do not name the operator of a revoked allowance compares the
 * accounts of these watches. Nobody waits for them, so they bring no checks.
 */
export function standingWatchId({ merchantId, mode }: Tenant, place: Omit<ChainCharge, 'amount'>): string {
  const { chain, token, wallet } = place;
  return [chain.chainId, merchantId, mode, token, wallet, 'standing'].join(':');
}

export function isStanding({ allowance }: WatchDoc): boolean {
  return allowance !== undefined;
}

export function interestOf(id: string): Interest {
  if (id.endsWith(':migration')) return 'migration';
  return id.endsWith(':risk') ? 'risk' : 'charge';
}

/** The subscription of a watch; of a subscription's own id, itself. */
export function subscriptionOf(id: string): string {
  return id.split(':', 1)[0] ?? id;
}

/** Whether nothing is to be seen for this any more: the subscription is over, or what it was about is. */
export function isObsolete(interest: Interest, doc: ActorDoc | undefined, now: Date): boolean {
  if (doc === undefined || doc.status === 'canceled') return true;
  const context = contextOf(doc);
  switch (interest) {
    case 'charge':
      return false;
    case 'migration':
      return context.migration === null || isMigrationOver(context, actorTime(now, doc.clockOffsetMs));
    case 'risk':
      return !context.risk.isAwaited && context.risk.short === null;
    default: {
      const never: never = interest;
      throw new Error(`unknown interest ${String(never)}`);
    }
  }
}

/** When the watch is checked again by itself; null: not any more. */
export function nextCheck(watch: WatchDoc, now: Date): Date | null {
  if (now.getTime() - watch.createdAt.getTime() > CHECKS_END_MS) return null;
  return new Date(now.getTime() + doubled(CHECK_MS.first, watch.looks, CHECK_MS.most));
}

/** When a change of an allowance is read again that could not be read, or not as of its block yet. */
export function nextChangeCheck({ looks }: AllowanceChangeDoc, now: Date): Date {
  return new Date(now.getTime() + doubled(CHANGE_MS.first, looks, CHANGE_MS.most));
}

/** When a watch is checked again behind a check that a log has brought; null: it is before that anyhow. */
export function checkBehindLog({ lookAt }: WatchDoc, now: Date): Date | null {
  const soon = new Date(now.getTime() + CHECK_MS.first);
  return lookAt === null || lookAt > soon ? soon : null;
}
