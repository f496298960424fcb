import type { PayerConsent } from '../../../machines/consent.ts';
import type { SubscriptionContext, Terms } from '../../../machines/subscription/context.ts';
import { isMigrationOver } from '../../../machines/subscription/migration.ts';
import {
  chargeDueAt,
  migrationConsent,
  migrationWallet,
  nextCharge,
  termsOfNext,
} from '../../../machines/subscription/next-charge.ts';
import type { AllowanceRead, Chain } from '../../chains/port.ts';
import { actorTime, realTime } from '../../engine/projection.ts';
import { comparableAddress } from '../../model/addresses.ts';
import { consentIn, operatorConsent } from '../../model/consent.ts';
import { subscriptionContextOf } from '../../model/subscription.ts';
import type { Tenant } from '../../store/documents.ts';
import type { BillingDeps } from '../deps.ts';
import { reserveOf } from './claim-changes.ts';
import type { ClaimDoc } from './claimants.ts';
import { type Claim, type Coverage, coverageOfClaims, type Means } from './coverage.ts';

/** A wallet's allowance to an operator, on the chain that plays its token. */
export interface ChainAllowance extends AllowanceRead {
  readonly chain: Chain;
  /** What the payer has consented to; absent: an allowance of the open operator. */
  readonly consent?: PayerConsent;
}

export interface ChainCharge extends ChainAllowance {
  /** The charge in base units of the playing token. */
  readonly amount: bigint;
}

/** A charge of a live subscription that an allowance may have to cover. */
export interface UpcomingCharge {
  readonly doc: ClaimDoc;
  /** Under the present terms, or under those of a pending migration. */
  readonly of: 'charge' | 'migration';
  readonly terms: Terms;
  readonly onChain: ChainCharge;
  /** True for the one charge per subscription that other claims must leave enough for. */
  readonly isNext: boolean;
  readonly claim: Claim;
}

export type ChainChargeDeps = Pick<BillingDeps, 'catalog' | 'chains'>;

/** The upcoming charges of a live subscription that have a wallet and a chain of this installation. */
export function upcomingChargesOf(deps: ChainChargeDeps, doc: ClaimDoc, now: Date): UpcomingCharge[] {
  const context = subscriptionContextOf(doc);
  const next = nextCharge(context);
  const { payerWallet, consent } = context;
  const terms = termsOfNext(context);
  const onChain = chainChargeFor(deps, doc, terms, { wallet: payerWallet, consent });
  const present: UpcomingCharge[] = onChain
    ? [{ doc, of: 'charge', terms, onChain, isNext: next === 'charge', claim: presentClaim(doc, context, onChain) }]
    : [];
  const { migration } = context;
  if (migration === null || isMigrationOver(context, actorTime(now, doc.clockOffsetMs))) return present;
  const payer = { wallet: migrationWallet(context), consent: migrationConsent(context) };
  const other = chainChargeFor(deps, doc, migration.terms, payer);
  if (!other) return present;
  const claim = {
    id: `${doc._id}:migration`,
    amount: other.amount,
    authorizedAt: migration.authorizedAt,
    createdAt: migration.requestedAt,
    dueAt: realTime(doc, chargeDueAt(context))?.toISOString() ?? null,
    reserve: reserveOf(doc),
  };
  const isNext = next === 'migration';
  return [...present, { doc, of: 'migration', terms: migration.terms, onChain: other, isNext, claim }];
}

/** The billed wallet, and what it has consented to. */
export interface Payer {
  readonly wallet: string | null;
  readonly consent: PayerConsent | undefined;
}

/** null: no wallet is known, it is not of the token's family, or no chain of this installation plays the token. */
export function chainChargeFor(
  { catalog, chains }: ChainChargeDeps,
  { merchantId, mode }: Tenant,
  terms: Terms,
  { wallet, consent }: Payer,
): ChainCharge | null {
  const answer = catalog.play(terms.tokenKey, mode);
  const chain = answer.ok ? chains.get(answer.play.chainId) : undefined;
  if (wallet === null || !answer.ok || !chain?.enabled || chain.parseAddress(wallet) === null) return null;
  return {
    chain,
    token: answer.play.token,
    operator: chain.operatorFor(merchantId, mode, operatorConsent(consent)),
    ...consentIn(consent),
    wallet,
    amount: answer.play.rescale(BigInt(terms.amount)),
  };
}

function presentClaim(doc: ClaimDoc, context: SubscriptionContext, { amount }: ChainCharge): Claim {
  const { authorizedAt, open } = context;
  const dueAt = realTime(doc, open === null ? chargeDueAt(context) : open.openedAt)?.toISOString() ?? null;
  const createdAt = doc.createdAt.toISOString();
  return { id: doc._id, amount, authorizedAt, createdAt, dueAt, reserve: reserveOf(doc) };
}

/** Upcoming charges with the same key draw on one allowance. */
export function allowanceKey({ doc: { merchantId, mode }, onChain }: UpcomingCharge): string {
  return allowanceKeyAt({ merchantId, mode }, onChain);
}

/** The key of a wallet's allowance to an operator of this merchant and mode. */
export function allowanceKeyAt(
  { merchantId, mode }: Tenant,
  { chain, token, operator, wallet }: ChainAllowance,
): string {
  return [merchantId, mode, chain.chainId, token, operator, comparableAddress(chain.family, wallet)].join('/');
}

/**
 * The coverage of the upcoming charges by one allowance. A next charge comes after those before it. Any other charge
 * counts as if it replaced its subscription's next charge.
 */
export function coverageOf(upcoming: readonly UpcomingCharge[], means: Means): Map<UpcomingCharge, Coverage> {
  const next = upcoming.filter(({ isNext }) => isNext);
  const shared = coverageAmong(next, means);
  const covered = upcoming.map((charge): [UpcomingCharge, Coverage | undefined] => {
    if (charge.isNext) return [charge, shared.get(charge.claim.id)];
    const others = next.filter(
      (other) => other.doc._id !== charge.doc._id || isOpenCycleKept(subscriptionContextOf(other.doc)),
    );
    return [charge, coverageAmong([...others, charge], means).get(charge.claim.id)];
  });
  return new Map(covered.flatMap(([charge, coverage]) => (coverage ? [[charge, coverage]] : [])));
}

function coverageAmong(upcoming: readonly UpcomingCharge[], means: Means): ReadonlyMap<string, Coverage> {
  const claims = upcoming.map(({ claim }) => claim);
  return new Map(coverageOfClaims(claims, means).map((coverage) => [coverage.id, coverage]));
}

/** True if the open cycle is charged before new terms apply. Before the first payment, new terms replace it. */
export function isOpenCycleKept({ open, anchor }: SubscriptionContext): boolean {
  return open !== null && anchor !== null;
}
