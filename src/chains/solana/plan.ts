import type { ChargeDoc, ChargeShare } from '../../store/collections.ts';
import { fromBase58, toBase58 } from './base58.ts';
import type { SolanaContext } from './context.ts';
import type { CheckedTokens } from './link.ts';
import type { TokenInfo } from './mints.ts';

/** Where one share goes. */
export interface PlannedShare {
  readonly share: ChargeShare;
  readonly amount: bigint;
  /** The token account that belongs to its wallet. */
  readonly account: string;
}

/** A charge with the addresses that it has on this chain. */
export interface Plan {
  readonly charge: ChargeDoc;
  readonly token: TokenInfo;
  readonly gross: bigint;
  /** The payer's token account. */
  readonly source: string;
  /** The merchant's delegate; of a deposit, its owner. */
  readonly operator: string;
  readonly shares: readonly PlannedShare[];
  /** An address that is the charge's key, and nobody's: every transaction of the charge names it, and so is found by it. */
  readonly reference: string;
}

/** @throws Error when the charge is not one that this chain can make */
export function planOf(ctx: SolanaContext, tokens: CheckedTokens, charge: ChargeDoc): Plan {
  const token = tokens.get(charge.token);
  if (!token) throw new Error(`charge ${charge._id} is of ${charge.token}, which is not enabled`);
  const shares = charge.shares.map((share) => {
    return { share, amount: BigInt(share.amount), account: ctx.associated.of(share.to, token) };
  });
  const gross = BigInt(charge.gross);
  const sum = shares.reduce((total, { amount }) => total + amount, 0n);
  if (sum !== gross || gross === 0n)
    throw new Error(`the shares of charge ${charge._id} are ${sum}, expected ${gross}`);
  return {
    charge,
    token,
    gross,
    source: ctx.associated.of(charge.from, token),
    operator: ctx.delegates.mover(charge).address,
    shares: shares.filter(({ amount }) => amount > 0n),
    reference: referenceOf(charge.key),
  };
}

/** The 32 bytes of a charge's key as an address. */
export function referenceOf(key: string): string {
  const bytes = Buffer.from(key.replace(/^0x/, ''), 'hex');
  if (bytes.length !== 32) throw new Error(`${key} is no charge key: expected 32 bytes in hex`);
  return toBase58(bytes);
}

/** An address in its own spelling; null for what is none, and for the address of all zeros, which nobody can own. */
export function parseSolanaAddress(text: string): string | null {
  if (text.length < 32 || text.length > 44) return null;
  const bytes = fromBase58(text);
  if (bytes?.length !== 32 || bytes.every((byte) => byte === 0)) return null;
  return toBase58(bytes);
}
