import { type Discount, lessDiscount } from '../../../machines/rules/discount.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import { migrationWallet, nextCharge, termsOfNext } from '../../../machines/subscription/next-charge.ts';
import { isSameAddress } from '../../model/addresses.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { claimants } from '../allowances/claimants.ts';
import { byAuthorization } from '../allowances/coverage.ts';
import { readableOf } from '../allowances/readable.ts';
import { isOpenCycleKept, type UpcomingCharge, upcomingChargesOf } from '../allowances/upcoming-charges.ts';
import type { BillingDeps } from '../deps.ts';
import type { ChangeQuote } from '../subscriptions/plan-changes.ts';
import type { TokenOnChain } from './token-on-chain.ts';
import { trialDaysLeft } from './trial.ts';

/** The cycles of a requested allowance if the terms have no limit (docs/rules.md, "Operators, consent, allowances"). */
const CYCLES: Readonly<Record<Terms['interval']['unit'], number>> = { day: 31, week: 26, month: 12, year: 3 };

/** One line of a requested allowance; amounts in base units of the playing token. */
interface AllowanceLine {
  readonly offerName: string;
  readonly amount: bigint;
  readonly cycles: number;
  readonly total: bigint;
}

/** The allowance that a payer is asked to approve. */
export interface RequestedAllowance {
  readonly token: TokenOnChain;
  /** The next charge of the present purchase. */
  readonly due: bigint;
  /** True if that charge is made as soon as the allowance suffices: outside of a trial or a paid period. */
  readonly isDue: boolean;
  /** What that charge takes, if a discount or a credit makes it less; absent: `due`. */
  readonly dueNow?: bigint;
  /** The next charges that come before it on the allowance. */
  readonly reserved: bigint;
  readonly lines: readonly AllowanceLine[];
  readonly total: bigint;
  /** The sum of the next charges of all lines. A smaller allowance does not suffice. */
  readonly least: bigint;
}

/** The present purchase, without other subscriptions of the wallet. */
export interface PurchaseCharge {
  /** null: there is none yet, or it is a payment. */
  readonly subscriptionId: string | null;
  /** True for the new terms of a migration: an open charge under the present terms comes before them. */
  readonly isMigration: boolean;
  readonly offerName: string;
  /** Base units of the requested token. */
  readonly amount: string;
  readonly cycles: number;
  /** True if the next charge is made as soon as the allowance suffices. */
  readonly isDue: boolean;
  /** What that charge takes, if a discount or a credit makes it less. */
  readonly amountNow?: bigint;
  /** null: not authorized, so all authorized ones come before it. */
  readonly authorizedAt: string | null;
}

/** A first purchase: not authorized yet, so it comes after all that are. */
export function firstCharge(bought: Pick<PurchaseCharge, 'offerName' | 'amount' | 'cycles' | 'isDue'>): PurchaseCharge {
  return { ...bought, subscriptionId: null, isMigration: false, authorizedAt: null };
}

/** With a discount that its subscription does not have yet. A free period is like a trial: the price follows it. */
export function discounted(charge: PurchaseCharge, discount: Discount, tokenKey: string): PurchaseCharge {
  const amountNow = lessDiscount(discount, { tokenKey, amount: charge.amount });
  return amountNow === 0n ? { ...charge, isDue: false } : { ...charge, amountNow };
}

/** The number of charges for which an allowance is requested. */
export function cyclesRequested({ maxCycles, interval }: Terms, cyclesCompleted: number): number {
  return maxCycles === null ? CYCLES[interval.unit] : Math.max(0, maxCycles - cyclesCompleted);
}

/** As `cyclesRequested`, for an existing subscription. If its cancel is scheduled, no charge follows the open one. */
function cyclesLeft({ open, cancelAt, cyclesCompleted }: SubscriptionContext, terms: Terms): number {
  if (cancelAt !== null) return open === null ? 0 : 1;
  return cyclesRequested(terms, cyclesCompleted);
}

/** As `cyclesLeft`, for the new terms of a migration. An open cycle that keeps its amount is not counted. */
function cyclesOfMigration(context: SubscriptionContext, terms: Terms): number {
  if (!isOpenCycleKept(context)) return cyclesLeft(context, terms);
  return context.cancelAt === null ? cyclesRequested(terms, context.cyclesCompleted + 1) : 0;
}

/**
 * The charge of a subscription under its present terms, or under those of a migration. `quote`: what the migration
 * costs, if it may begin in the middle of a paid period.
 */
export function chargeOf(
  doc: ActorDoc,
  of: UpcomingCharge['of'],
  now: Date,
  quote: ChangeQuote | null = null,
): PurchaseCharge {
  const context = subscriptionContextOf(doc);
  const migration = of === 'migration' ? context.migration : null;
  const { terms, authorizedAt } = migration ?? context;
  const atOnce = migration !== null && quote?.at === null ? quote : null;
  const next = termsOfNext(context).amount;
  const isFree = context.open === null && lessDiscount(context.discount, terms) === 0n;
  return {
    subscriptionId: doc._id,
    isMigration: migration !== null,
    offerName: subscriptionAttributes.parse(doc.attributes).offerName,
    amount: terms.amount,
    cycles: migration === null ? cyclesLeft(context, terms) : cyclesOfMigration(context, terms),
    isDue:
      atOnce !== null || (migration === null && doc.status !== 'active' && trialDaysLeft(doc, now) === null && !isFree),
    ...(migration === null && next !== terms.amount ? { amountNow: BigInt(next) } : {}),
    ...(atOnce === null ? {} : { amountNow: atOnce.now }),
    authorizedAt,
  };
}

/**
 * The next charge if this wallet pays it in the token of the present terms; else the charge under the present terms.
 * Another wallet has not agreed to the new terms, and an amount in another token belongs to another allowance.
 */
export function nextChargeOf(doc: ActorDoc, wallet: string | null, now: Date): PurchaseCharge {
  const context = subscriptionContextOf(doc);
  const { migration, terms } = context;
  const isItsMigration =
    nextCharge(context) === 'migration' &&
    migration?.terms.tokenKey === terms.tokenKey &&
    migrationWallet(context) === wallet;
  return chargeOf(doc, isItsMigration ? 'migration' : 'charge', now);
}

/**
 * The allowance that a page asks for: the present purchase, and the wallet's authorized live subscriptions on the same
 * allowance, each `charge × cycles` (docs/rules.md, "Operators, consent, allowances"). `wallet` null: not known yet, or
 * nobody has proven that it is theirs.
 */
export async function requestedAllowance(
  deps: BillingDeps,
  tenant: Tenant,
  token: TokenOnChain,
  charge: PurchaseCharge,
  wallet: string | null,
): Promise<RequestedAllowance> {
  const others = wallet === null ? [] : await authorizedOn(deps, tenant, token, wallet, charge);
  const due = token.play.rescale(BigInt(charge.amount));
  const lines = [
    lineOf(charge.offerName, due, charge.cycles),
    ...others.map(({ offerName, amount, cycles }) => lineOf(offerName, amount, cycles)),
  ].filter(({ cycles }) => cycles > 0);
  return {
    token,
    due,
    isDue: charge.isDue,
    ...(charge.amountNow === undefined ? {} : { dueNow: token.play.rescale(charge.amountNow) }),
    reserved: sum(others.filter((other) => isBefore(other, charge)).map(({ amount }) => amount)),
    lines,
    total: sum(lines.map(({ total }) => total)),
    least: sum(lines.map(({ amount }) => amount)),
  };
}

function lineOf(offerName: string, amount: bigint, cycles: number): AllowanceLine {
  return { offerName, amount, cycles, total: amount * BigInt(cycles) };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** The order in which an allowance is divided (`src/billing/allowances/coverage.ts`). */
function isBefore(other: Other, charge: PurchaseCharge): boolean {
  const { subscriptionId, authorizedAt } = charge;
  return authorizedAt === null || byAuthorization(other, { id: subscriptionId ?? '', authorizedAt }) < 0;
}

interface Other {
  /** The subscription's id. */
  readonly id: string;
  readonly offerName: string;
  readonly amount: bigint;
  readonly cycles: number;
  readonly authorizedAt: string;
}

/**
 * The next charges of authorized live subscriptions on this allowance, without the present purchase: the same set that
 * a charge reserves (`src/billing/allowances/reserves.ts`).
 */
async function authorizedOn(
  deps: BillingDeps,
  tenant: Tenant,
  token: TokenOnChain,
  wallet: string,
  charge: PurchaseCharge,
): Promise<Other[]> {
  const others: Other[] = [];
  const readable = readableOf(deps);
  for await (const page of claimants(deps.store, [tenant], [wallet], ['attributes'])) {
    for (const doc of page) {
      if (!readable.hasClaims(doc)) continue;
      const next = upcomingChargesOf(deps, doc, deps.clock()).find(({ isNext }) => isNext);
      if (!next || !isAt(next, token, wallet)) continue;
      if (doc._id !== charge.subscriptionId)
        others.push(...otherOf(doc, next, cyclesLeft(subscriptionContextOf(doc), next.terms)));
      else if (charge.isMigration && isOpenCycleKept(subscriptionContextOf(doc))) others.push(...otherOf(doc, next, 1));
    }
  }
  return others;
}

function isAt({ onChain }: UpcomingCharge, { chain, play, operator }: TokenOnChain, wallet: string): boolean {
  const isSame =
    onChain.chain.chainId === chain.chainId && onChain.token === play.token && onChain.operator === operator;
  return isSame && isSameAddress(chain.family, onChain.wallet, wallet);
}

function otherOf(
  doc: Pick<ActorDoc, '_id' | 'attributes'>,
  { onChain, claim: { authorizedAt } }: UpcomingCharge,
  cycles: number,
): Other[] {
  if (authorizedAt === null || cycles === 0) return [];
  const { offerName } = subscriptionAttributes.parse(doc.attributes);
  return [{ id: doc._id, offerName, amount: onChain.amount, cycles, authorizedAt }];
}
