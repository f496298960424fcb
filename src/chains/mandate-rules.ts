import { indexAt, periodAt } from '../../machines/rules/period.ts';
import { type Taken, takenIn, withTaken } from '../../machines/rules/thirty-days.ts';
import type { SignedMandate } from '../store/collections.ts';
import type { PullReason } from './port.ts';

/** The rule of its mandate that a charge breaks (`Mandates.sol`). Moments in Unix seconds. */
export type MandateReason =
  | { readonly kind: 'bad_signature'; readonly payer: string }
  | { readonly kind: 'revoked'; readonly payer: string; readonly agreement: string }
  | { readonly kind: 'superseded'; readonly issuedAt: bigint; readonly inForce: bigint }
  | { readonly kind: 'too_early'; readonly start: bigint }
  | { readonly kind: 'too_late'; readonly end: bigint }
  | { readonly kind: 'two_rhythms'; readonly interval: bigint; readonly months: bigint }
  | { readonly kind: 'ahead_of_rhythm'; readonly from: bigint }
  | { readonly kind: 'used_up'; readonly charges: bigint }
  | { readonly kind: 'above_per_charge'; readonly gross: bigint; readonly perCharge: bigint }
  | { readonly kind: 'above_per_30_days'; readonly sum: bigint; readonly per30Days: bigint }
  | { readonly kind: 'above_fee'; readonly fee: bigint; readonly feeBps: bigint }
  | { readonly kind: 'not_payee'; readonly index: number; readonly recipient: string }
  | { readonly kind: 'cycle_out_of_range'; readonly cycle: bigint; readonly last: bigint };

const PULL_REASONS: { readonly [K in MandateReason['kind']]: PullReason } = {
  bad_signature: 'insufficient_allowance',
  revoked: 'insufficient_allowance',
  superseded: 'insufficient_allowance',
  too_early: 'pull_reverted',
  too_late: 'insufficient_allowance',
  two_rhythms: 'pull_reverted',
  ahead_of_rhythm: 'pull_reverted',
  used_up: 'insufficient_allowance',
  above_per_charge: 'pull_reverted',
  above_per_30_days: 'pull_reverted',
  above_fee: 'pull_reverted',
  not_payee: 'pull_reverted',
  cycle_out_of_range: 'pull_reverted',
};

/** What the reference calls it: the consent is missing or used up, or the charge is against it. */
export function pullReasonOf({ kind }: MandateReason): PullReason {
  return PULL_REASONS[kind];
}

export function isMandateReason(reason: { readonly kind: string }): reason is MandateReason {
  return reason.kind in PULL_REASONS;
}

/** The values of a mandate that its rules need. Addresses are compared as they are spelled. */
export interface MandateTerms
  extends Pick<
    SignedMandate,
    | 'payer'
    | 'charges'
    | 'interval'
    | 'months'
    | 'start'
    | 'end'
    | 'issuedAt'
    | 'platform'
    | 'feeBps'
    | 'payees'
    | 'agreement'
  > {
  /** The highest amount of one charge, in base units. */
  readonly perCharge: bigint;
  /** The most of all charges in any 30 days; absent: no such limit. */
  readonly per30Days?: bigint;
}

/** A mandate whose amounts are numbers. */
export function withAmounts<T extends Pick<SignedMandate, 'perCharge' | 'per30Days'>>(mandate: T) {
  const { perCharge, per30Days, ...others } = mandate;
  return {
    ...others,
    perCharge: BigInt(perCharge),
    ...(per30Days === undefined ? {} : { per30Days: BigInt(per30Days) }),
  };
}

/** The charges made before under an agreement. Moments in Unix seconds. */
export interface AgreementState {
  /** The hash of the mandate in force; null: none was used, or the agreement is revoked. */
  readonly inForce: string | null;
  /** Of the mandate in force; `REVOKED`: the payer has revoked the agreement. */
  readonly issuedAt: bigint;
  /** When the rhythm expects the next charge. */
  readonly due: bigint;
  /** Charges under the mandate in force. */
  readonly count: bigint;
  /** The greatest charged cycle. */
  readonly last: bigint;
  /** Bit n: whether cycle `last - n` is charged. */
  readonly window: bigint;
  /** What charges with a limit of 30 days have taken; absent: none had one. */
  readonly taken?: readonly Taken[];
}

/** A charge to be made. Amounts in base units. */
export interface MandateCall {
  readonly mandate: MandateTerms;
  readonly hash: string;
  readonly cycle: bigint;
  readonly shares: readonly { readonly to: string; readonly amount: bigint }[];
  /** Unix seconds. */
  readonly now: bigint;
  /** Whether the merchant has announced this recipient, and its delay has passed. */
  readonly isAnnounced: (recipient: string) => boolean;
  /** Whether the payer has signed the mandate. Asked only if the mandate is not in force yet. */
  readonly isSigned: () => boolean;
}

export type MandateVerdict =
  | { readonly kind: 'kept'; readonly state: AgreementState; readonly isFirstUse: boolean }
  /** The cycle is charged already. */
  | { readonly kind: 'seen' }
  | MandateReason;

/** The `issuedAt` of an agreement that its payer has revoked. */
export const REVOKED = 2n ** 40n - 1n;
/** How early a charge may be at most, seconds: it may be ahead of the rhythm by this or by one interval. */
export const MOST_AHEAD = 8n * 86_400n;
/** How many cycles back, the last one included, an agreement knows which ones are charged. */
const WINDOW = 32n;

export const NOTHING_CHARGED: AgreementState = {
  inForce: null,
  issuedAt: 0n,
  due: 0n,
  count: 0n,
  last: 0n,
  window: 0n,
};

/**
 * Whether a charge keeps to its mandate: the rules of `Mandates.sol`, in its order. `kept`: the state after the charge.
 * The contract decides on EVM, and this function on Solana. `mandate-rules.long.test.ts` holds it to the contract.
 */
export function underMandate(known: AgreementState, call: MandateCall): MandateVerdict {
  const { mandate, hash, cycle, now } = call;
  const broken = brokenTerms(call) ?? brokenPayees(call);
  if (broken !== null) return broken;
  if (known.issuedAt === REVOKED) return { kind: 'revoked', payer: mandate.payer, agreement: mandate.agreement };
  const isFirstUse = known.inForce !== hash;
  const issuedAt = BigInt(mandate.issuedAt);
  if (isFirstUse) {
    if (issuedAt <= known.issuedAt || issuedAt === REVOKED)
      return { kind: 'superseded', issuedAt, inForce: known.issuedAt };
    if (mandate.interval !== 0 && mandate.months !== 0)
      return { kind: 'two_rhythms', interval: BigInt(mandate.interval), months: BigInt(mandate.months) };
    if (!call.isSigned()) return { kind: 'bad_signature', payer: mandate.payer };
  }
  const inForce = putInForce(known, mandate, hash);
  const early = brokenRhythm(inForce, mandate, now) ?? brokenCycle(inForce, cycle) ?? brokenThirtyDays(inForce, call);
  return early ?? { kind: 'kept', state: afterCharge(inForce, call), isFirstUse };
}

/** The state after a charge that was made. Checks no rule. */
function afterCharge(known: AgreementState, { mandate, hash, cycle, now, shares }: MandateCall): AgreementState {
  const { due, count, ...inForce } = putInForce(known, mandate, hash);
  return {
    ...inForce,
    ...withCycle(known, cycle),
    due: dueAfter(mandate, due > now ? due : now),
    count: count + 1n,
    ...(mandate.per30Days === undefined ? {} : { taken: withTaken(known.taken ?? [], Number(now), sumOf(shares)) }),
  };
}

/** Whether a cycle counts as charged. */
export function isCycleSeen({ last, window }: AgreementState, cycle: bigint): boolean {
  if (cycle > last) return false;
  return last - cycle >= WINDOW || isSet(window, last - cycle);
}

function brokenTerms({ mandate, shares, now }: MandateCall): MandateReason | null {
  const { perCharge, start, end } = mandate;
  const gross = sumOf(shares);
  if (gross > perCharge) return { kind: 'above_per_charge', gross, perCharge };
  if (now < BigInt(start)) return { kind: 'too_early', start: BigInt(start) };
  return end !== 0 && now > BigInt(end) ? { kind: 'too_late', end: BigInt(end) } : null;
}

function brokenPayees({ mandate, shares, isAnnounced }: MandateCall): MandateReason | null {
  const { platform, payees } = mandate;
  const index = shares.findIndex(({ to }) => to !== platform && !payees.includes(to) && !isAnnounced(to));
  const stranger = shares[index];
  if (stranger !== undefined) return { kind: 'not_payee', index, recipient: stranger.to };
  const fee = sumOf(shares.filter(({ to }) => to === platform));
  const feeBps = BigInt(mandate.feeBps);
  return fee * 10_000n > sumOf(shares) * feeBps ? { kind: 'above_fee', fee, feeBps } : null;
}

/** A mandate that is new to the agreement begins anew; the charged cycles stay charged. */
function putInForce(known: AgreementState, mandate: MandateTerms, hash: string): AgreementState {
  if (known.inForce === hash) return known;
  return { ...known, inForce: hash, issuedAt: BigInt(mandate.issuedAt), due: BigInt(mandate.start), count: 0n };
}

function brokenRhythm({ count, due }: AgreementState, mandate: MandateTerms, now: bigint): MandateReason | null {
  const charges = BigInt(mandate.charges);
  if (charges !== 0n && count >= charges) return { kind: 'used_up', charges };
  const ahead = aheadOf(mandate);
  return now + ahead < due ? { kind: 'ahead_of_rhythm', from: due - ahead } : null;
}

type Rhythm = Pick<MandateTerms, 'interval' | 'months' | 'start'>;

/** How early a charge may be, seconds. */
function aheadOf({ interval, months }: Rhythm): bigint {
  const step = BigInt(interval);
  return months === 0 && step < MOST_AHEAD ? step : MOST_AHEAD;
}

/** From when the rhythm allows the next charge if the last one was at `last` or before; unix seconds. */
export function allowedFrom(mandate: Rhythm, last: bigint): bigint {
  const start = BigInt(mandate.start);
  const hasRhythm = mandate.interval !== 0 || mandate.months !== 0;
  return last < start || !hasRhythm ? start : dueAfter(mandate, last) - aheadOf(mandate);
}

/** The first date of the rhythm after `moment`, which is not before the mandate's start. Without a rhythm: `moment`. */
function dueAfter({ interval, months, start }: Rhythm, moment: bigint): bigint {
  if (months !== 0) {
    const [anchor, now] = [isoOf(BigInt(start)), isoOf(moment)];
    const rhythm = { unit: 'month', count: months } as const;
    return BigInt(Date.parse(periodAt(anchor, rhythm, indexAt(anchor, rhythm, now)).end)) / 1_000n;
  }
  if (interval === 0) return moment;
  const step = BigInt(interval);
  return moment - ((moment - BigInt(start)) % step) + step;
}

function isoOf(unixSeconds: bigint): string {
  return new Date(Number(unixSeconds) * 1_000).toISOString();
}

function brokenCycle(known: AgreementState, cycle: bigint): MandateReason | { readonly kind: 'seen' } | null {
  const { last } = known;
  const isFar = cycle > last ? last !== 0n && cycle - last >= WINDOW : last - cycle >= WINDOW;
  if (cycle === 0n || isFar) return { kind: 'cycle_out_of_range', cycle, last };
  return isCycleSeen(known, cycle) ? { kind: 'seen' } : null;
}

/** Whichever of the agreement's mandates it was taken under: a new one does not begin anew. */
function brokenThirtyDays({ taken = [] }: AgreementState, { mandate, shares, now }: MandateCall): MandateReason | null {
  const { per30Days } = mandate;
  const sum = takenIn(taken, Number(now)) + sumOf(shares);
  return per30Days === undefined || sum <= per30Days ? null : { kind: 'above_per_30_days', sum, per30Days };
}

function withCycle({ last, window }: AgreementState, cycle: bigint): Pick<AgreementState, 'last' | 'window'> {
  if (cycle <= last) return { last, window: BigInt.asUintN(Number(WINDOW), window | (1n << (last - cycle))) };
  const moved = last === 0n ? 0n : BigInt.asUintN(Number(WINDOW), window << (cycle - last));
  return { last: cycle, window: moved | 1n };
}

function isSet(window: bigint, bit: bigint): boolean {
  return ((window >> bit) & 1n) === 1n;
}

function sumOf(shares: MandateCall['shares']): bigint {
  return shares.reduce((sum, { amount }) => sum + amount, 0n);
}
