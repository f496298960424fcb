import { migrationWallet, nextCharge } from '../../../machines/subscription/changes.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Tenant } from '../../store/tenant.ts';
import { isSameAddress } from '../addresses.ts';
import { claimants } from '../allowances/claimants.ts';
import { byAuthorization } from '../allowances/coverage.ts';
import { readableOf } from '../allowances/readable.ts';
import { isOpenCycleKept, type UpcomingCharge, upcomingChargesOf } from '../allowances/upcoming-charges.ts';
import type { BillingDeps } from '../deps.ts';
import { subscriptionAttributes } from '../subscriptions/attributes.ts';
import { contextOf } from '../subscriptions/record.ts';
import type { TokenOnChain } from './token-on-chain.ts';
import { trialDaysLeft } from './trial.ts';

/** For how many cycles an allowance is asked where none are left to count (docs/rules.md, "Operators, consent, allowances"). */
const CYCLES: Readonly<Record<Terms['interval']['unit'], number>> = { day: 31, week: 26, month: 12, year: 3 };

/** One thing that an allowance is asked for; all amounts in base units of the playing token. */
export interface AskedLine {
  readonly offerName: string;
  /** It is what is asked for now; else another subscription of the wallet, which the same allowance pays. */
  readonly isOwn: boolean;
  readonly amount: bigint;
  readonly cycles: number;
  readonly total: bigint;
}

/** What a payer is asked to approve. */
export interface Asked {
  readonly place: TokenOnChain;
  /** The next charge of what is asked for. */
  readonly due: bigint;
  /** It is made as soon as the allowance is there: not in a trial, nor in a period that is paid. */
  readonly isDue: boolean;
  /** The next charges that the allowance must cover before it. */
  readonly reserved: bigint;
  readonly lines: readonly AskedLine[];
  readonly total: bigint;
  /** The next charges of all lines: less than this is of no use. */
  readonly least: bigint;
}

/** What is asked for itself. */
export interface Own {
  /** null: there is none yet, or it is a payment. */
  readonly subscriptionId: string | null;
  /** Terms that a migration brings: an open charge of the present ones comes before them. */
  readonly isMigration: boolean;
  readonly offerName: string;
  /** Base units of the token that was asked for. */
  readonly amount: string;
  readonly cycles: number;
  /** The next charge is made as soon as the allowance is there. */
  readonly isDue: boolean;
  /** null: it has not been authorized, so that all that have been come before it. */
  readonly authorizedAt: string | null;
}

/** What is bought for the first time: nobody has authorized it, so it comes behind all that has been. */
export function newOwn(bought: Pick<Own, 'offerName' | 'amount' | 'cycles' | 'isDue'>): Own {
  return { ...bought, subscriptionId: null, isMigration: false, authorizedAt: null };
}

/** How many charges a subscription may still make, as far as an allowance is asked for them. */
export function cyclesAsked({ maxCycles, interval }: Terms, cyclesCompleted: number): number {
  return maxCycles === null ? CYCLES[interval.unit] : Math.max(0, maxCycles - cyclesCompleted);
}

/** The same of one that is there: with its cancel scheduled no other charge follows the one that is open. */
function cyclesLeft({ open, cancelAt, cyclesCompleted }: SubscriptionContext, terms: Terms): number {
  if (cancelAt !== null) return open === null ? 0 : 1;
  return cyclesAsked(terms, cyclesCompleted);
}

/** The same of the terms that a migration brings: an open cycle that keeps its amount is none of theirs. */
function cyclesOfMigration(context: SubscriptionContext, terms: Terms): number {
  if (!isOpenCycleKept(context)) return cyclesLeft(context, terms);
  return context.cancelAt === null ? cyclesAsked(terms, context.cyclesCompleted + 1) : 0;
}

/** What is asked of a subscription: the charge of its present terms, or of those that a migration brings, in its turn. */
export function ownOf(doc: ActorDoc, of: UpcomingCharge['of'], now: Date): Own {
  const context = contextOf(doc);
  const migration = of === 'migration' ? context.migration : null;
  const { terms, authorizedAt } = migration ?? context;
  return {
    subscriptionId: doc._id,
    isMigration: migration !== null,
    offerName: subscriptionAttributes.parse(doc.attributes).offerName,
    amount: terms.amount,
    cycles: migration === null ? cyclesLeft(context, terms) : cyclesOfMigration(context, terms),
    isDue: migration === null && doc.status !== 'active' && trialDaysLeft(doc, now) === null,
    authorizedAt,
  };
}

/**
 * The same of the next charge, where it is this wallet that pays it, in the token of the present terms; else of these: another
 * wallet has agreed to nothing else, and in another token the amount would be of another place.
 */
export function ownNext(doc: ActorDoc, wallet: string | null, now: Date): Own {
  const context = contextOf(doc);
  const { migration, terms } = context;
  const isItsMigration =
    nextCharge(context) === 'migration' &&
    migration?.terms.tokenKey === terms.tokenKey &&
    migrationWallet(context) === wallet;
  return ownOf(doc, isItsMigration ? 'migration' : 'charge', now);
}

/**
 * The sum that a page asks for: what is asked for itself, and the wallet's authorized live subscriptions that the same
 * allowance pays, each `charge × cycles` (docs/rules.md, "Operators, consent, allowances"). `wallet` null: none is known yet.
 */
export async function askedOf(
  deps: BillingDeps,
  tenant: Tenant,
  place: TokenOnChain,
  own: Own,
  wallet: string | null,
): Promise<Asked> {
  const others = wallet === null ? [] : await authorizedOn(deps, tenant, place, wallet, own);
  const due = place.play.rescale(BigInt(own.amount));
  const lines = [
    lineOf(own.offerName, due, own.cycles, true),
    ...others.map(({ offerName, amount, cycles }) => lineOf(offerName, amount, cycles, false)),
  ].filter(({ cycles }) => cycles > 0);
  return {
    place,
    due,
    isDue: own.isDue,
    reserved: sum(others.filter((other) => isBefore(other, own)).map(({ amount }) => amount)),
    lines,
    total: sum(lines.map(({ total }) => total)),
    least: sum(lines.map(({ amount }) => amount)),
  };
}

function lineOf(offerName: string, amount: bigint, cycles: number, isOwn: boolean): AskedLine {
  return { offerName, isOwn, amount, cycles, total: amount * BigInt(cycles) };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** In the order in which an allowance is shared out (`src/billing/allowances/coverage.ts`). */
function isBefore(other: Other, own: Own): boolean {
  const { subscriptionId, authorizedAt } = own;
  return authorizedAt === null || byAuthorization(other, { id: subscriptionId ?? '', authorizedAt }) < 0;
}

interface Other {
  /** The subscription's. */
  readonly id: string;
  readonly offerName: string;
  readonly amount: bigint;
  readonly cycles: number;
  readonly authorizedAt: string;
}

/**
 * The next charges of authorized live subscriptions that the wallet's allowance at a place pays, but for what is asked for itself:
 * the set that is reserved when a charge is made (`src/billing/allowances/reserves.ts`).
 */
async function authorizedOn(
  deps: BillingDeps,
  tenant: Tenant,
  place: TokenOnChain,
  wallet: string,
  own: Own,
): Promise<Other[]> {
  const others: Other[] = [];
  const readable = readableOf(deps);
  for await (const page of claimants(deps.store, [tenant], [wallet])) {
    for (const doc of page) {
      if (!readable.hasClaims(doc)) continue;
      const next = upcomingChargesOf(deps, doc, deps.clock()).find(({ isNext }) => isNext);
      if (!next || !isAt(next, place, wallet)) continue;
      if (doc._id !== own.subscriptionId) others.push(...otherOf(next, cyclesLeft(contextOf(doc), next.terms)));
      else if (own.isMigration && isOpenCycleKept(contextOf(doc))) others.push(...otherOf(next, 1));
    }
  }
  return others;
}

function isAt({ place }: UpcomingCharge, { chain, play, operator }: TokenOnChain, wallet: string): boolean {
  const isSame = place.chain.chainId === chain.chainId && place.token === play.token && place.operator === operator;
  return isSame && isSameAddress(chain.family, place.wallet, wallet);
}

function otherOf({ doc, place, claim: { authorizedAt } }: UpcomingCharge, cycles: number): Other[] {
  if (authorizedAt === null || cycles === 0) return [];
  const { offerName } = subscriptionAttributes.parse(doc.attributes);
  return [{ id: doc._id, offerName, amount: place.amount, cycles, authorizedAt }];
}
