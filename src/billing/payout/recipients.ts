import { type Announced, isUsable, waitingAnnouncement } from '../../chains/announcements.ts';
import type { MandatesById } from '../../chains/mandate-reader.ts';
import { mandateIn } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import type { Destination } from '../../model/payout.ts';
import { payoutQuestion } from '../../model/payout.ts';
import type { AnnouncementDoc, SignedMandate } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { WorkerDeps } from '../deps.ts';
import { isWithinBudget } from '../resources/budgets.ts';
import { announce, announcedUnder } from './announcements.ts';

export type RecipientDeps = Pick<WorkerDeps, 'store' | 'ledger' | 'catalog' | 'chains' | 'clock' | 'payoutsOf'>;

interface Candidates {
  readonly destinations: readonly Destination[];
  readonly mandate: SignedMandate | undefined;
}

/**
 * The address that gets the merchant's part of each of these payments of cycles now; null: there is no payout wallet.
 * Under a mandate it is the newest payout address that the payer has signed, or whose announcement has waited
 * (docs/rules.md, "Wallets"). A present payout address that is neither, and not announced, is announced within the
 * merchant's budget.
 */
export async function recipientsOf(
  deps: RecipientDeps,
  payments: readonly ActorDoc[],
  mandates: MandatesById,
): Promise<ReadonlyMap<string, string | null>> {
  const payouts = await deps.payoutsOf(payments);
  const candidates = payments.map((payment): [string, Candidates] => {
    const question = payoutQuestion(deps.catalog, paymentAttributes.parse(payment.attributes));
    const destinations = question === null ? [] : payouts.destinations(payment, question);
    return [payment._id, { destinations, mandate: mandateIn(mandates, paymentContextOf(payment).consent) }];
  });
  const announcements = await announcementsFor(
    deps,
    candidates.map(([, each]) => each),
  );
  const now = deps.clock();
  return new Map(candidates.map(([id, each]) => [id, recipientOf(each, announcements, now)]));
}

function recipientOf(
  { destinations, mandate }: Candidates,
  announcements: ReadonlyMap<string, AnnouncementDoc>,
  now: Date,
): string | null {
  const [present] = destinations;
  if (mandate === undefined || present === undefined) return present?.address ?? null;
  const payable = destinations.find(
    (each) => isSigned(mandate, each) || isAnnounced(mandate, each, announcements, now),
  );
  return payable?.address ?? mandate.payees[0] ?? present.address;
}

function isSigned({ payees }: SignedMandate, { address }: Destination): boolean {
  return payees.includes(address);
}

/** A former address counts only if it could be paid while it was the payout wallet. */
function isAnnounced(
  mandate: SignedMandate,
  { address, until }: Destination,
  announcements: ReadonlyMap<string, AnnouncementDoc>,
  now: Date,
): boolean {
  const announcement = announcements.get(announcedUnder(mandate, address).id);
  return announcement !== undefined && isUsable(announcement, until ?? now);
}

/** The announcements of the addresses that no payer has signed, by id. Missing ones of present addresses are made. */
async function announcementsFor(
  deps: RecipientDeps,
  candidates: readonly Candidates[],
): Promise<ReadonlyMap<string, AnnouncementDoc>> {
  const unsigned = candidates.flatMap(({ mandate, destinations }) =>
    mandate === undefined
      ? []
      : destinations
          .filter((each) => !isSigned(mandate, each))
          .map((each) => ({ ...announcedUnder(mandate, each.address), isPresent: each === destinations[0] })),
  );
  if (unsigned.length === 0) return new Map();
  const found = await deps.store.records.get('announcements', [...new Set(unsigned.map(({ id }) => id))]);
  const announcements = new Map(found.map((each) => [each._id, each]));
  const missing = unsigned.filter(({ id, isPresent }) => isPresent && !announcements.has(id));
  await announceWithinBudget(deps, [...new Map(missing.map(({ id, announced }) => [id, announced])).values()]);
  return announcements;
}

/** Over its merchant's budget a payee is announced by a later cycle. No cycle waits for it. */
async function announceWithinBudget(deps: RecipientDeps, missing: readonly Announced[]): Promise<void> {
  if (missing.length === 0) return;
  const ids = [...new Set(missing.map(({ merchantId }) => merchantId))];
  const merchants = new Map((await deps.store.records.get('merchants', ids)).map((each) => [each._id, each]));
  for (const announced of missing) {
    const merchant = merchants.get(announced.merchantId);
    const spending = { mode: announced.mode, budget: 'announcementsPerDay' } as const;
    if (merchant === undefined || !(await isWithinBudget(deps, merchant, spending))) continue;
    await announce(deps, [waitingAnnouncement(announced, deps.clock())]);
  }
}
