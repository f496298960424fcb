import { type SubscriptionContext, subscriptionContext, type Terms } from '../../../machines/subscription/context.ts';
import {
  chargeDueAt,
  dueAt,
  isMigrationReady,
  migrationWallet,
  nextCharge,
} from '../../../machines/subscription/next-charge.ts';
import { usageIn } from '../../billing/subscriptions/usage.ts';
import { actorTime } from '../../engine/projection.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { usageView } from '../../http/metered.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Fact, PaymentRow } from '../wire.ts';
import { momentText } from './views.ts';

type Catalog = Pick<HttpDeps, 'catalog'>;

/** The next charge of a subscription in a few words, and in a sentence with its amount. */
interface NextCharge {
  readonly brief: string;
  readonly sentence: string;
}

/** @param now by the subscription's own clock */
export function nextChargeOf(deps: Catalog, doc: ActorDoc, context: SubscriptionContext, now: string): NextCharge {
  const { open, wakeAt, cancelAt, cyclesCompleted } = context;
  const migration = nextCharge(context) === 'migration' ? context.migration : null;
  const { terms } = migration ?? context;
  const payer = migration === null ? context.payerWallet : migrationWallet(context);
  const most = open === null && terms.model?.kind === 'metered' ? 'at most ' : '';
  const amount = `${most}${amountText(deps, terms)}`;
  if (doc.status === 'canceled') return none('the subscription is canceled');
  if (open !== null && wakeAt === null) {
    const attempt = `attempt ${open.attempt} of cycle ${open.number}`;
    return { brief: `now: ${attempt}`, sentence: `Now: ${attempt} is in flight, ${amount}.` };
  }
  const due = open === null ? (chargeDueAt(context) ?? dueAt(context)) : wakeAt;
  if (cancelAt !== null && (due === null || cancelAt <= due)) {
    return none(`the subscription ends on ${momentText(cancelAt)}, as requested`);
  }
  if (terms.maxCycles !== null && open === null && cyclesCompleted >= terms.maxCycles) {
    return none(`all of its ${terms.maxCycles} cycles are paid`);
  }
  if (due === null && context.pause) {
    return { brief: 'when it is resumed', sentence: `${amount}, after somebody has resumed it.` };
  }
  if (due === null) {
    return { brief: 'after the authorization', sentence: `${amount}, as soon as the payer has authorized it.` };
  }
  const isPast = due <= now;
  const when = isPast ? `Due since ${momentText(due)}` : `On ${momentText(due)}`;
  return {
    brief: isPast ? `due since ${momentText(due)}` : momentText(due),
    sentence: `${when}: ${amount} from ${payer ?? 'nobody yet'}.`,
  };
}

function none(why: string): NextCharge {
  return { brief: `none: ${why}`, sentence: `None: ${why}.` };
}

/** `9.90 USDC` */
function amountText({ catalog }: Catalog, { tokenKey, amount, priceAmount }: Terms): string {
  const token = catalog.tokenByKey(tokenKey);
  return token ? `${formatAmount(BigInt(amount), token.decimals)} ${token.ticker}` : priceAmount;
}

/** `9.90 USDC every 3 months`; of a price per unit `…, for 3 units (1 to 10)` */
function priceText(deps: Catalog, terms: Terms): string {
  const { unit, count } = terms.interval;
  const rhythm = count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
  return `${amountText(deps, terms)} ${rhythm}${modelText(terms)}`;
}

function modelText({ model, priceAmount, priceCurrency }: Terms): string {
  switch (model?.kind) {
    case undefined:
      return '';
    case 'per_unit':
      return `, for ${model.quantity} units (${model.minQuantity} to ${model.maxQuantity})`;
    case 'metered':
      return ` at most, by use: ${priceAmount} ${priceCurrency} a unit`;
  }
}

/** What a metered subscription has used since its last charge and before, and what that costs; empty: not metered. */
async function usageFacts(deps: HttpDeps, doc: ActorDoc): Promise<Fact[]> {
  const period = await usageIn(deps, doc);
  if (period === null) return [];
  const { amount, carriedAmount, capAmount, chargeAmount, level, units, tokenKey } = usageView(period, deps.catalog);
  const ticker = deps.catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey;
  const billed = subscriptionContext.parse(doc.context).usage?.billed ?? 0;
  const carried = period.before === 0n ? '' : `, and ${carriedAmount} carried from before`;
  const charge = `the charge so far is ${chargeAmount} of at most ${capAmount} ${ticker} (${level} %)`;
  const value = `${units} units since ${momentText(period.since)} for ${amount} ${ticker}${carried}: ${charge}. ${billed} units were billed before, ${billed + units} in all.`;
  return [{ name: 'usage', label: 'Use', value, id: null }];
}

/** A subscription's customer, price, use and next charge. */
export async function subscriptionFacts(deps: HttpDeps, doc: ActorDoc, customerId: string): Promise<Fact[]> {
  const context = subscriptionContext.parse(doc.context);
  const { brief } = nextChargeOf(deps, doc, context, actorTime(deps.clock(), doc.clockOffsetMs));
  return [
    ...(await customerFact(deps, customerId)),
    { name: 'price', label: 'Price', value: priceText(deps, context.terms), id: null },
    ...(await usageFacts(deps, doc)),
    { name: 'next-charge', label: 'Next charge', value: brief, id: null },
    ...changeFact(deps, context),
    ...pauseFact(context),
  ];
}

/** New terms that have not begun. */
function changeFact(deps: Catalog, context: SubscriptionContext): Fact[] {
  const { migration } = context;
  if (migration === null) return [];
  const begins = migration.when === 'now' ? 'at once' : 'with the next period';
  const waits = isMigrationReady(context) ? '' : ', once the payer has authorized it';
  return [
    { name: 'change', label: 'Change', value: `${priceText(deps, migration.terms)} ${begins}${waits}`, id: null },
  ];
}

/** The pause that is on. */
function pauseFact({ pause, ended }: SubscriptionContext): Fact[] {
  if (!pause || ended !== null) return [];
  const { since, until, by, periodEnd } = pause;
  const end = until === null ? 'until somebody resumes it' : `until ${momentText(until)}`;
  const value = `${end}, by the ${by}, since ${momentText(since)}; the end of the paid period ${periodEnd === 'moves' ? 'moves' : 'stays'}`;
  return [{ name: 'pause', label: 'Paused', value, id: null }];
}

export async function paymentFacts(deps: HttpDeps, payment: PaymentRow, customerId: string | null): Promise<Fact[]> {
  const { cycle, subscriptionId, period, nextAttemptAt } = payment;
  const purpose = cycle === null ? 'one-off payment' : `cycle ${cycle}: ${period}`;
  const next =
    nextAttemptAt === null
      ? []
      : [{ name: 'next-attempt', label: 'Next attempt', value: momentText(nextAttemptAt), id: null }];
  return [
    ...(customerId === null ? [] : await customerFact(deps, customerId)),
    { name: 'purpose', label: 'For', value: purpose, id: subscriptionId },
    ...next,
  ];
}

async function customerFact({ store }: Pick<HttpDeps, 'store'>, id: string): Promise<Fact[]> {
  const [customer] = await store.records.get('customers', [id]);
  return [{ name: 'customer', label: 'Customer', value: customer?.name ?? customer?.email ?? id, id }];
}
