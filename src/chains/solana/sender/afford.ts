import { type GasReading, OutOfGas } from '../../sender/gas.ts';
import type { SolanaLink } from '../link.ts';
import { TOKEN_2022_PROGRAM } from '../programs.ts';
import { balanceSchema } from '../wire.ts';
import { type ChainReading, unitPriceFor } from './read-chain.ts';
import type { Paying } from './sort.ts';

const PER_SIGNATURE = 5_000n;
const SIGNATURES = 2n;
/**
 * The lamports that an account must hold to be kept; for a token account without and with the extension of Token-2022.
 */
const EMPTY_ACCOUNT = 890_880n;
const TOKEN_ACCOUNT = 2_039_280n;
const TOKEN_2022_ACCOUNT = 2_074_080n;
const MICRO = 1_000_000n;
const LAMPORTS = 1_000_000_000n;

/** The fee payer's balance, and the need of a charge that creates no accounts. @throws NodeUnreachable */
export async function readFees(link: SolanaLink, feePayer: string): Promise<GasReading> {
  const { value } = balanceSchema.parse(await link.call('getBalance', [feePayer, { commitment: 'confirmed' }]));
  return { balance: value, least: EMPTY_ACCOUNT + SIGNATURES * PER_SIGNATURE };
}

/** For people. */
export function feeSentence(feePayer: string, balance: bigint, needed: bigint): string {
  return `fee payer ${feePayer} has ${inSol(balance)} SOL for fees; the next charge may need ${inSol(needed)}`;
}

/**
 * The charges that the fee payer has lamports for, in their order. `short` is the error for the others; null: there are
 * none.
 */
export function affordable(
  feePayer: string,
  reading: ChainReading,
  paying: readonly Paying[],
): { readonly paid: readonly Paying[]; readonly short: OutOfGas | null } {
  const { balance } = reading;
  let left = balance - EMPTY_ACCOUNT;
  const paid: Paying[] = [];
  for (const each of paying) {
    const cost = costOf(each, unitPriceFor(reading, each.plan.charge));
    if (cost > left) {
      const needed = cost + EMPTY_ACCOUNT;
      return { paid, short: new OutOfGas(feeSentence(feePayer, balance, needed), needed) };
    }
    left -= cost;
    paid.push(each);
  }
  return { paid, short: null };
}

/** The cost of signatures, compute units, and the lamports in the accounts that it creates. */
function costOf({ plan, missing, units }: Paying, unitPrice: bigint): bigint {
  const rent = plan.token.program === TOKEN_2022_PROGRAM ? TOKEN_2022_ACCOUNT : TOKEN_ACCOUNT;
  const compute = (unitPrice * BigInt(units)) / MICRO + 1n;
  return SIGNATURES * PER_SIGNATURE + compute + BigInt(missing.size) * rent;
}

function inSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const whole = digits.slice(0, -9);
  return `${whole}.${(lamports % LAMPORTS).toString().padStart(9, '0')}`;
}
