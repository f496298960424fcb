import type { Interest } from '../../../machines/effects.ts';
import { doubled } from '../../../machines/rules/backoff.ts';
import { isMigrationOver } from '../../../machines/subscription/migration.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { DUE_LEASE_MS, DueActors } from '../../engine/due.ts';
import { actorTime } from '../../engine/projection.ts';
import { SCAN_MAX } from '../../engine/scanner.ts';
import { operatorConsent } from '../../model/consent.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { AllowanceChangesDoc, Collections, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { storeLeases, type Workers } from '../../store/workers.ts';
import type { BillingDeps } from '../deps.ts';
import type { ChainAllowance } from './upcoming-charges.ts';

/**
 * The pause between two checks of a watch without a log in between, in milliseconds. A log of the wallet triggers a
 * check at once.
 */
const CHECK_MS = { first: 15_000, most: 6 * 3_600_000 } as const;

/** The same for a change of an allowance that no node with its block has answered yet. */
const CHANGE_MS = { first: 1_000, most: 60_000 } as const;

/** After this time only a log, the page or `resume` triggers a check. */
const CHECKS_END_MS = 30 * 86_400_000;

/** The id of a subscription's watch for this interest. Each interest has its own, created and removed independently. */
export function watchId(subscriptionId: string, interest: Interest): string {
  return interest === 'charge' ? subscriptionId : `${subscriptionId}:${interest}`;
}

export function watchIdsOf(subscriptionId: string): string[] {
  return (['charge', 'migration', 'risk'] as const).map((interest) => watchId(subscriptionId, interest));
}

/**
 * The id of the lasting watch of an allowance. Where logs do not name the operator of a revoked allowance, the chain's
 * watcher compares the accounts of these watches. Nobody waits for them, so they trigger no checks.
 */
export function allowanceWatchId({ merchantId, mode }: Tenant, allowance: ChainAllowance): string {
  const { chain, token, consent, wallet } = allowance;
  const kind = operatorConsent(consent).isBounded ? ['bounded'] : [];
  return [chain.chainId, merchantId, mode, token, wallet, ...kind, 'standing'].join(':');
}

export function isAllowanceWatch({ allowance }: WatchDoc): boolean {
  return allowance !== undefined;
}

export function interestOf(id: string): Interest {
  if (id.endsWith(':migration')) return 'migration';
  return id.endsWith(':risk') ? 'risk' : 'charge';
}

/** The subscription of a watch; a subscription's own id returns itself. */
export function subscriptionOf(id: string): string {
  return id.split(':', 1)[0] ?? id;
}

/** True if the watch has no purpose any more: its subscription, migration or risk is over. */
export function isObsolete(interest: Interest, doc: ActorDoc | undefined, now: Date): boolean {
  if (doc === undefined || doc.status === 'canceled') return true;
  const context = subscriptionContextOf(doc);
  switch (interest) {
    case 'charge':
      return false;
    case 'migration':
      return context.migration === null || isMigrationOver(context, actorTime(now, doc.clockOffsetMs));
    case 'risk':
      return !context.risk.isAwaited && context.risk.short === null;
    default:
      return unknownCase(interest, 'interest');
  }
}

/** When the watch is checked again without a log; null: never. */
export function nextCheck(watch: WatchDoc, now: Date): Date | null {
  if (now.getTime() - watch.createdAt.getTime() > CHECKS_END_MS) return null;
  const next = new Date(now.getTime() + doubled(CHECK_MS.first, watch.looks, CHECK_MS.most));
  const { endsAt = next } = watch;
  return endsAt > now && endsAt < next ? endsAt : next;
}

/** When changes of allowances are read again, if they could not be read, or not as of their blocks. */
export function nextChangeCheck({ looks }: AllowanceChangesDoc, now: Date): Date {
  return new Date(now.getTime() + doubled(CHANGE_MS.first, looks, CHANGE_MS.most));
}

/** When a watch is checked again after a check that a log triggered; null if a check is due before that. */
export function checkBehindLog({ lookAt }: WatchDoc, now: Date): Date | null {
  const soon = new Date(now.getTime() + CHECK_MS.first);
  return lookAt === null || lookAt > soon ? soon : null;
}

/** The most changed allowances per pass, except that a pass handles all that were reported together. */
const CHANGES_MAX = 250;

/** Checks due documents, at once those `ofOnePass`. Workers share them as they share due actors. */
export function dueChecks<C extends 'allowanceChanges' | 'watches'>(
  { store: { records }, clock, workers }: Pick<BillingDeps, 'store' | 'clock'> & { readonly workers: Workers },
  ofOnePass: (docs: readonly Collections[C][]) => readonly Collections[C][],
  check: (docs: readonly Collections[C][]) => Promise<void>,
): DueActors<C, Collections[C]> {
  return new DueActors<C, Collections[C]>({
    scanner: {
      due: (from, partitions) => {
        const where = { partition: { in: partitions }, lookAt: { lte: clock() } };
        return records.find(from, { where, sort: [['lookAt', 1]], limit: SCAN_MAX });
      },
    },
    leases: storeLeases({ records, workers, leaseMs: DUE_LEASE_MS, clock }),
    workers,
    // A worker that is alone would only pay for leases: it checks one chain at a time anyway.
    isFull: (docs) => workers.count > 1 && (docs.length === SCAN_MAX || ofOnePass(docs).length < docs.length),
    admit: async (docs) => ({ docs: ofOnePass(docs) }),
    dispatch: check,
  });
}

/** The first document, and those after it that still fit into the pass. */
export function changesOfOnePass(docs: readonly AllowanceChangesDoc[]): readonly AllowanceChangesDoc[] {
  let count = 0;
  const end = docs.findIndex(({ changes }, index) => {
    count += changes.length;
    return index > 0 && count > CHANGES_MAX;
  });
  return end < 0 ? docs : docs.slice(0, end);
}
