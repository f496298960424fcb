import { refundsOf } from '../../../machines/payment/refunds.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { isRefund } from '../../chains/charges.ts';
import { leftOf } from '../../model/deposit.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { isRefundWatch, paymentOfWatch } from '../../model/refund.ts';
import { isLive, subscriptionContextOf } from '../../model/subscription.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ActorDoc, Mode } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import type { LedgerStore, Store, Where } from '../../store/port.ts';
import type { BillingDeps } from '../deps.ts';

export interface RouterOf {
  readonly chainId: number;
  readonly router: string;
}

export type RouterUseDeps = Pick<BillingDeps, 'store' | 'catalog' | 'clock'>;

/**
 * The open work on a router, as words for people, such as `2 open charges`. Empty: nothing needs it any more
 * (docs/rules.md, "Routers"). It reads every live subscription, so it is for a start that drops a router.
 * `replacedAt`: since when refunds are drafted for a newer one; null: unknown, or not so far.
 */
export async function usesOf(deps: RouterUseDeps, of: RouterOf, replacedAt: string | null): Promise<string[]> {
  const [subscriptions, payments, sessions, charges, deposits, permits, refunds] = await Promise.all([
    liveSubscriptions(deps, of),
    pendingPayments(deps, of),
    openSessions(deps, of),
    openCharges(deps, of),
    depositsToSweep(deps, of),
    deps.store.records.count('permits', { ...whereOf(of), state: { in: ['waiting', 'started', 'sent'] } }),
    openRefunds(deps, of, replacedAt),
  ]);
  return [
    counted(subscriptions, 'live subscription'),
    counted(payments, 'pending payment'),
    counted(sessions, 'open checkout session'),
    counted(charges, 'open charge'),
    counted(deposits, 'deposit', ' not swept'),
    counted(permits, 'permit'),
    counted(refunds, 'open refund'),
  ].flat();
}

function counted(count: number, what: string, more = ''): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}${more}`];
}

/** Matches the documents of a router, in the collections that have its chain and its name. */
function whereOf({ chainId, router }: RouterOf): Where {
  return { chainId, router };
}

async function liveSubscriptions({ store, catalog }: RouterUseDeps, of: RouterOf): Promise<number> {
  const where = { status: { in: ['pending', 'active', 'past_due'] } };
  let count = 0;
  for await (const page of pagesOf((query) => store.actors.find('subscription', query), where)) {
    count += page.filter((doc) => isLive(doc) && isBilledOn(catalog, doc, of)).length;
  }
  return count;
}

/**
 * True if its next charges may be made on the router, now or after a migration that the payer has signed. A consent
 * that names no router counts for every one.
 */
function isBilledOn(catalog: Catalog, doc: ActorDoc, of: RouterOf): boolean {
  const { terms, consent, migration } = subscriptionContextOf(doc);
  const isOn = (tokenKey: string, named: string | null | undefined): boolean =>
    isPlayedOn(catalog, tokenKey, doc.mode, of) && (named ?? of.router) === of.router;
  if (isOn(terms.tokenKey, consent?.router)) return true;
  return migration !== null && isOn(migration.terms.tokenKey, (migration.consent ?? consent)?.router);
}

/** One-off payments of this router without a charge yet. Those of cycles are counted with their subscriptions. */
async function pendingPayments({ store, catalog }: RouterUseDeps, of: RouterOf): Promise<number> {
  const where = { status: 'pending', 'attributes.subscriptionId': null, 'context.consent.router': of.router };
  let count = 0;
  for await (const page of pagesOf((query) => store.actors.find('payment', query), where)) {
    count += page.filter((doc) => isPulledOn(catalog, doc, of)).length;
  }
  return count;
}

/** Sessions whose wallet has signed for this router, and that have not bought anything yet. */
async function openSessions({ store: { records }, catalog, clock }: RouterUseDeps, of: RouterOf): Promise<number> {
  const where = { closed: null, subscriptionId: null, expiresAt: { gt: clock() }, 'consent.router': of.router };
  let count = 0;
  for await (const page of pagesOf((query) => records.find('checkoutSessions', query), where)) {
    count += page.filter(({ terms, mode }) => isPlayedOn(catalog, terms.tokenKey, mode, of)).length;
  }
  return count;
}

function isPlayedOn(catalog: Catalog, tokenKey: string, mode: Mode, { chainId }: RouterOf): boolean {
  const answer = catalog.play(tokenKey, mode);
  return answer.ok && answer.play.chainId === chainId;
}

function isPulledOn(catalog: Catalog, doc: ActorDoc, of: RouterOf): boolean {
  const { tokenKey } = paymentAttributes.parse(doc.attributes);
  return isPlayedOn(catalog, tokenKey, doc.mode, of) && paymentContextOf(doc).deposit === null;
}

/** Charges that can still be made, or that a reorganization can still undo. */
async function openCharges({ store }: RouterUseDeps, of: RouterOf): Promise<number> {
  const { records } = store;
  const open = new Set<string>();
  const states = { in: ['waiting', 'started', 'sent', 'mined'] };
  for await (const page of pagesOf((query) => records.find('charges', query), { ...whereOf(of), state: states })) {
    const unwanted = await unwantedOf(store, page);
    for (const charge of page) if (!unwanted.has(charge)) open.add(charge._id);
  }
  const watched = { chainId: of.chainId, state: { in: ['signed', 'mined', 'final'] } };
  for await (const page of pagesOf((query) => records.find('transactions', query), watched)) {
    const charges = await records.get(
      'charges',
      page.flatMap(({ chargeIds }) => chargeIds),
    );
    for (const { _id, state, router } of charges) if (state === 'final' && router === of.router) open.add(_id);
  }
  return open.size;
}

/** Waiting charges of canceled payments. A sender ends them when it would sign them; a paused router prevents it. */
async function unwantedOf({ actors }: Pick<Store, 'actors'>, charges: readonly ChargeDoc[]): Promise<Set<ChargeDoc>> {
  const waiting = charges.filter((charge) => charge.state === 'waiting' && !isRefund(charge));
  const payments = await actors.load('payment', [...new Set(waiting.map(({ paymentId }) => paymentId))]);
  const canceled = new Set(payments.flatMap(({ _id, status }) => (status === 'canceled' ? [_id] : [])));
  return new Set(waiting.filter(({ paymentId }) => canceled.has(paymentId)));
}

/** Ends the charges of canceled payments that wait for a router which nothing needs any more. */
export async function endUnwanted(
  { store, clock }: RouterUseDeps & { readonly store: LedgerStore },
  of: RouterOf,
): Promise<void> {
  const where = { ...whereOf(of), state: 'waiting' };
  for await (const page of pagesOf((query) => store.records.find('charges', query), where)) {
    const ids = [...(await unwantedOf(store, page))].map(({ _id }) => _id);
    await store.records.changeAlike(
      'charges',
      ids,
      { state: 'waiting' },
      { set: { state: 'withdrawn', updatedAt: clock() } },
    );
  }
}

/** Deposit addresses that are watched, or hold money. */
async function depositsToSweep({ store: { records } }: RouterUseDeps, of: RouterOf): Promise<number> {
  let count = 0;
  for await (const page of pagesOf((query) => records.find('deposits', query), whereOf(of))) {
    const watches = await records.get(
      'watches',
      page.map(({ _id }) => _id),
    );
    const watched = new Set(watches.map(({ _id }) => _id));
    count += page.filter((doc) => watched.has(doc._id) || doc.arrivals.some((each) => leftOf(each) > 0n)).length;
  }
  return count;
}

/** Refunds by merchants whose transfer may still come through the router. */
async function openRefunds({ store }: RouterUseDeps, { chainId }: RouterOf, before: string | null): Promise<number> {
  let count = 0;
  for await (const page of pagesOf((query) => store.records.find('watches', query), { chainId })) {
    const ids = page.flatMap(({ _id }) => (isRefundWatch(_id) ? [paymentOfWatch(_id)] : []));
    const refunds = (await store.actors.load('payment', ids)).flatMap((doc) => refundsOf(paymentContextOf(doc)));
    count += refunds.filter(({ requestedAt, status }) => {
      return (status === 'requested' || status === 'sent') && (before === null || requestedAt < before);
    }).length;
  }
  return count;
}
