import { TOKEN_2022_PROGRAM } from '../programs.ts';
import type { Look } from './look.ts';
import type { Paying } from './sort.ts';

const PER_SIGNATURE = 5_000n;
const SIGNATURES = 2n;
/** What an account has to hold to be let alone; of a token account without and with the extension of Token-2022. */
const EMPTY_ACCOUNT = 890_880n;
const TOKEN_ACCOUNT = 2_039_280n;
const TOKEN_2022_ACCOUNT = 2_074_080n;
const MICRO = 1_000_000n;
const LAMPORTS = 1_000_000_000n;

/**
 * The charges that the fee payer has lamports for, in their order; `sentence` says what it lacks for the others.
 */
export function affordable(
  feePayer: string,
  { balance, unitPrice }: Look,
  paying: readonly Paying[],
): { readonly paid: readonly Paying[]; readonly sentence: string | null } {
  let left = balance - EMPTY_ACCOUNT;
  const paid: Paying[] = [];
  for (const each of paying) {
    const cost = costOf(each, unitPrice);
    if (cost > left) {
      const sentence = `fee payer ${feePayer} has ${inSol(balance)} SOL for fees; the next charge may need ${inSol(cost)}`;
      return { paid, sentence };
    }
    left -= cost;
    paid.push(each);
  }
  return { paid, sentence: null };
}

/** Signatures, compute units, and what the accounts that it makes have to hold. */
function costOf({ plan, missing, units }: Paying, unitPrice: bigint): bigint {
  const rent = plan.token.program === TOKEN_2022_PROGRAM ? TOKEN_2022_ACCOUNT : TOKEN_ACCOUNT;
  const compute = (unitPrice * BigInt(units) * 2n) / MICRO;
  return SIGNATURES * PER_SIGNATURE + compute + BigInt(missing.size) * rent;
}

function inSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const whole = digits.slice(0, -9);
  return `${whole}.${(lamports % LAMPORTS).toString().padStart(9, '0')}`;
}
