import { unknownCase } from '../../machines/unknown-case.ts';
import type { MandateReason } from './mandate-rules.ts';

/** The rule that a charge breaks, in words for staff. Amounts are in base units of the token. */
export function mandateReasonInWords(reason: MandateReason): string {
  switch (reason.kind) {
    case 'bad_signature':
      return `the signature of the mandate is not the payer's (${reason.payer})`;
    case 'revoked':
      return 'the payer has revoked the agreement on the chain';
    case 'superseded':
      return `a mandate of ${moment(reason.inForce)} has taken the place of this one of ${moment(reason.issuedAt)}`;
    case 'too_early':
      return `the mandate allows no charge before ${moment(reason.start)}`;
    case 'too_late':
      return `the mandate allows no charge after ${moment(reason.end)}`;
    case 'two_rhythms':
      return `the mandate has a rhythm of ${reason.interval} seconds and one of ${reason.months} months: only one is allowed`;
    case 'ahead_of_rhythm':
      return `the mandate's rhythm allows the next charge from ${moment(reason.from)} on`;
    case 'used_up':
      return `all ${reason.charges} charges of the mandate are made`;
    case 'above_per_charge':
      return `the amount is ${reason.gross}, and the mandate allows ${reason.perCharge} a charge`;
    case 'above_per_30_days':
      return `${reason.sum} would be taken in 30 days, and the mandate allows ${reason.per30Days}`;
    case 'above_fee':
      return `the platform would get ${reason.fee}, which is more than the mandate's ${reason.feeBps} hundredths of a percent`;
    case 'not_payee':
      return `share ${reason.index + 1} would go to ${reason.recipient}, which the mandate does not name and nobody has announced in time`;
    case 'cycle_out_of_range':
      return `cycle ${reason.cycle} cannot be charged: the greatest charged cycle is ${reason.last}, and 31 cycles before and after it can be charged`;
    default:
      return unknownCase(reason, 'reason');
  }
}

/** The greatest moment of a JavaScript date, in Unix seconds. */
const GREATEST = 8_640_000_000_000n;

/** A moment in Unix seconds, for people. */
export function moment(seconds: bigint): string {
  return seconds > GREATEST ? `second ${seconds}` : new Date(Number(seconds) * 1_000).toISOString();
}
