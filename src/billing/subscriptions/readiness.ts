import type { SubscriptionContext } from '../../../machines/subscription/context.ts';
import { reservationHolder } from '../../../machines/subscription/effects.ts';
import { changeDueAt } from '../../../machines/subscription/next-charge.ts';
import { isFree } from '../../../machines/subscription/usage.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { groupBy } from '../../chains/group-by.ts';
import { allowedFrom } from '../../chains/mandate-rules.ts';
import type { Payouts } from '../../model/payout.ts';
import { subscriptionContextOf, termsOfNextCharge } from '../../model/subscription.ts';
import type { SignedMandate, UsageDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import type { BillingDeps } from '../deps.ts';
import { reserveUnits } from '../offers/inventory.ts';
import { worthOfPeriod } from './plan-changes.ts';

export type Readiness = Extract<EventOf<'subscription'>, { type: 'cycle.due' }>['charge'];

export type ReadinessDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'payoutsOf'>;

const READY: Readiness = { ready: true };

/**
 * Whether the next charge of each subscription has everything but the payer's money (docs/rules.md, "Money": Not
 * attempted), and all units of a metered price. Reserves a unit of the offer for a first charge. Reads shared documents
 * once.
 */
export async function readinessOf(deps: ReadinessDeps, docs: readonly ActorDoc[]): Promise<Readiness[]> {
  const [suspended, payouts, used] = await Promise.all([
    suspendedOf(deps, docs),
    deps.payoutsOf(docs),
    usedBy(deps.store, docs),
  ]);
  const readiness = docs.map((doc) =>
    suspended.has(doc.merchantId) ? SUSPENDED : destinationReadiness(deps, doc, payouts),
  );
  const first = docs.filter((doc, index) => {
    const context = subscriptionContextOf(doc);
    return readiness[index]?.ready && context.anchor === null && !isFree(context, used.get(doc._id));
  });
  const without = await withoutUnit(deps, first);
  const all = docs.map((doc, index) => {
    const found = without.has(doc._id) ? SOLD_OUT : (readiness[index] ?? NOT_ENABLED);
    const units = used.get(doc._id);
    return units === undefined ? found : { ...found, used: units };
  });
  return Promise.all(all.map((each, index) => withWorth(deps, docs[index], each)));
}

/** Adds what the running period is worth where a change at once credits a part of it. */
async function withWorth({ store }: ReadinessDeps, doc: ActorDoc | undefined, charge: Readiness): Promise<Readiness> {
  if (doc === undefined || !charge.ready) return charge;
  const context = subscriptionContextOf(doc);
  if (context.migration?.proration === undefined || changeDueAt(context) === null) return charge;
  return { ...charge, paid: await worthOfPeriod(store, doc) };
}

const SUSPENDED: Readiness = { ready: false, why: 'merchant_suspended' };
const NOT_ENABLED: Readiness = { ready: false, why: 'not_enabled' };
const NO_PAYOUT_WALLET: Readiness = { ready: false, why: 'no_payout_wallet' };
const SOLD_OUT: Readiness = { ready: false, why: 'sold_out' };

async function suspendedOf(deps: ReadinessDeps, docs: readonly ActorDoc[]): Promise<ReadonlySet<string>> {
  const merchants = await deps.store.records.get('merchants', [...new Set(docs.map((doc) => doc.merchantId))]);
  return new Set(merchants.filter(({ status }) => status === 'suspended').map(({ _id }) => _id));
}

function destinationReadiness({ catalog, chains }: ReadinessDeps, doc: ActorDoc, payouts: Payouts): Readiness {
  const { tokenKey, chainId, destination: fallback } = termsOfNextCharge(subscriptionContextOf(doc));
  const token = catalog.tokenByKey(tokenKey);
  const answer = catalog.play(tokenKey, doc.mode);
  if (!token || !answer.ok || !chains.get(answer.play.chainId)?.enabled) return NOT_ENABLED;
  const to = payouts.destination(doc, { tokenKey, chainId, family: token.family, fallback });
  return to === null ? NO_PAYOUT_WALLET : READY;
}

/** The subscriptions, each before its first charge, whose offer has no unit left. */
async function withoutUnit(deps: ReadinessDeps, docs: readonly ActorDoc[]): Promise<ReadonlySet<string>> {
  const byOffer = groupBy(docs, (doc) => subscriptionContextOf(doc).offerId);
  const lacking = await Promise.all(
    [...byOffer].map(async ([offerId, wanting]) => {
      const granted = await reserveUnits(deps.store, offerId, wanting.map(nextHolder));
      return wanting.filter((doc) => !granted.has(nextHolder(doc))).map(({ _id }) => _id);
    }),
  );
  return new Set(lacking.flat());
}

/** The holder of the next attempt's reservation. */
function nextHolder(doc: ActorDoc): string {
  const { open, lastCycle } = subscriptionContextOf(doc);
  return open === null
    ? reservationHolder(doc._id, lastCycle + 1, 1)
    : reservationHolder(doc._id, open.number, open.attempt + 1);
}

/** A charge under a mandate waits so long after the mandate allows it: the clock of a chain may be behind. */
const CLOCKS_MS = 3_600_000;

/** When the mandate allows the charge of the use until now; null: at once. */
export function lastChargeFrom(
  { usage }: Pick<SubscriptionContext, 'usage'>,
  mandate: SignedMandate | null,
  now: Date,
): string | null {
  if (usage === undefined || mandate === null) return null;
  const last = BigInt(Math.floor(Date.parse(usage.since) / 1_000));
  const from = new Date(Number(allowedFrom(mandate, last)) * 1_000 + CLOCKS_MS);
  return from <= now ? null : from.toISOString();
}

/** The newest row of a subscription's usage, which has its total; null: nothing has been used. */
export async function lastUsage({ records }: Pick<Store, 'records'>, subscriptionId: string): Promise<UsageDoc | null> {
  const sort = [['sequence', -1]] as const;
  const [last] = await records.find('usage', { where: { subscriptionId }, sort, limit: 1 });
  return last ?? null;
}

/** All units so far of those with a metered price: one document is read for each, however many records it has. */
export async function usedBy(
  store: Pick<Store, 'records'>,
  docs: readonly ActorDoc[],
): Promise<ReadonlyMap<string, number>> {
  const metered = docs.filter((doc) => subscriptionContextOf(doc).usage !== undefined);
  const last = await Promise.all(metered.map(({ _id }) => lastUsage(store, _id)));
  return new Map(metered.map(({ _id }, index) => [_id, last[index]?.total ?? 0]));
}
