import type { MandateReason } from './mandate-rules.ts';

interface Kinds {
  readonly kind: string;
}

type OfKind<R extends Kinds, K extends R['kind']> = {
  [P in K]: Extract<R, { readonly kind: P }> & { readonly kind: P };
}[K];

/** What each kind of reason says to staff. Amounts are in base units of the token. */
export type Words<R extends Kinds> = { readonly [K in R['kind']]: (reason: OfKind<R, K>) => string };

export function inWords<R extends Kinds, K extends R['kind']>(words: Words<R>, reason: OfKind<R, K>): string {
  return words[reason.kind](reason);
}

/** The rule that a charge breaks. */
export const MANDATE_WORDS: Words<MandateReason> = {
  bad_signature: ({ payer }) => `the signature of the mandate is not the payer's (${payer})`,
  revoked: () => 'the payer has revoked the agreement on the chain',
  superseded: ({ inForce, issuedAt }) =>
    `a mandate of ${moment(inForce)} has taken the place of this one of ${moment(issuedAt)}`,
  too_early: ({ start }) => `the mandate allows no charge before ${moment(start)}`,
  too_late: ({ end }) => `the mandate allows no charge after ${moment(end)}`,
  two_rhythms: ({ interval, months }) =>
    `the mandate has a rhythm of ${interval} seconds and one of ${months} months: only one is allowed`,
  ahead_of_rhythm: ({ from }) => `the mandate's rhythm allows the next charge from ${moment(from)} on`,
  used_up: ({ charges }) => `all ${charges} charges of the mandate are made`,
  above_per_charge: ({ gross, perCharge }) => `the amount is ${gross}, and the mandate allows ${perCharge} a charge`,
  above_per_30_days: ({ sum, per30Days }) => `${sum} would be taken in 30 days, and the mandate allows ${per30Days}`,
  above_fee: ({ fee, feeBps }) =>
    `the platform would get ${fee}, which is more than the mandate's ${feeBps} hundredths of a percent`,
  not_payee: ({ index, recipient }) =>
    `share ${index + 1} would go to ${recipient}, which the mandate does not name and nobody has announced in time`,
  cycle_out_of_range: ({ cycle, last }) =>
    `cycle ${cycle} cannot be charged: the greatest charged cycle is ${last}, and 31 cycles before and after it can be charged`,
};

/** The greatest moment of a JavaScript date, in Unix seconds. */
const GREATEST = 8_640_000_000_000n;

/** A moment in Unix seconds, for people. */
export function moment(seconds: bigint): string {
  return seconds > GREATEST ? `second ${seconds}` : new Date(Number(seconds) * 1_000).toISOString();
}
