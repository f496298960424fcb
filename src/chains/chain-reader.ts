import type { BlockRef, ChainFamily, ChargeDoc } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import type { FoundRefund } from './port.ts';

export interface OnChainShare {
  readonly to: string;
  /** Solana: the token account that received it; null on EVM, where an address receives. */
  readonly account: string | null;
  /** Base units. */
  readonly amount: bigint;
  /** Of its Transfer log in the block; on Solana of its instruction in the transaction. Null: not searched for. */
  readonly index: number | null;
}

export interface OnChainCharge {
  readonly key: string;
  /** The router that made it; null on Solana, which has none. */
  readonly router: string | null;
  readonly txHash: string;
  /** The hash is null if it was not read. */
  readonly block: { readonly number: number; readonly hash: string | null };
  /** The merchant's name on the chain, as `ChainReader.merchantOf` gives it. */
  readonly merchant: string;
  readonly token: string;
  readonly from: string;
  /** Base units; the sum of the shares. */
  readonly gross: bigint;
  /** In the order of their payment, without shares of zero. */
  readonly shares: readonly OnChainShare[];
  /** EVM: the number of the router's log in the block. Solana: of the memo's instruction. Null: not searched for. */
  readonly index: number | null;
  /** EVM: true for tokens straight from payer to recipients (only under a mandate). Absent: a refund, or Solana. */
  readonly isBounded?: boolean;
}

/** The charge of the document. Under a mandate an open charge, or another payer's, may have the same key. */
export function isChargeOf(
  seen: OnChainCharge,
  { key, mandate, from }: Pick<ChargeDoc, 'key' | 'mandate' | 'from'>,
): boolean {
  if (seen.key !== key) return false;
  if (seen.isBounded === undefined) return true;
  return mandate === undefined ? !seen.isBounded : seen.isBounded && seen.from.toLowerCase() === from.toLowerCase();
}

/** An action of the service's keys, or of its routers, that is no charge. */
export interface Movement {
  readonly txHash: string;
  readonly block: number;
  /** For people: what moved, from whom, to whom. */
  readonly what: string;
  /** True: it is a difference only if the ledger does not know the transaction. False: it always is a difference. */
  readonly mayBeKnown: boolean;
}

/** A refund that somebody has sent under the key of a charge, or of the refund (Solana). */
export interface OnChainRefund extends Omit<FoundRefund, 'isFinal'> {
  /** The router whose log it is; null on Solana. */
  readonly router: string | null;
  /** Solana: the address that stands for it, which the transfer names; null on EVM, where the key does. */
  readonly reference: string | null;
  readonly from: string;
  /** Solana: the token account that received it; null on EVM. */
  readonly account: string | null;
  /** EVM: the number of the router's log in the block. Solana: of its instruction in the transaction. */
  readonly logIndex: number;
}

/** The charges and other movements in a range of blocks, or in a part of the range. */
export interface ChainPage {
  readonly charges: readonly OnChainCharge[];
  /** EVM: those that routers have logged. Empty on Solana, where only a key finds them. */
  readonly refunds: readonly OnChainRefund[];
  readonly others: readonly Movement[];
}

export interface Evidence {
  readonly charge: OnChainCharge & { readonly block: BlockRef };
  /** The number of blocks (Solana: slots) from its own to the newest, both counted. */
  readonly confirmations: number;
}

/** Tokens at an address that must hold none. */
export interface Residue {
  /** For people: the owner of the address. */
  readonly holder: string;
  /** The merchant whose operator this is. Null: all merchants share the address. */
  readonly tenant: Tenant | null;
  readonly address: string;
  readonly token: string;
  readonly amount: bigint;
}

/** The amount of one token at an address; it may be zero. */
export interface Holding {
  /** Null: the native coin. */
  readonly token: string | null;
  /** Base units. */
  readonly amount: bigint;
  /** The block (Solana: slot) of this reading. */
  readonly block: number;
}

/** `final`: deep enough to settle a payment. `finalized`: can never change again. */
type Certainty = 'final' | 'finalized';

export interface ReadOptions {
  /** The merchants whose keys are checked, besides the keys that all merchants share. */
  readonly tenants: readonly Tenant[];
  /** Returns those of the transactions that the ledger has. They need no second check. */
  readonly known: (txHashes: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Reads charges that one chain has made, for proofs and for the audit. It signs nothing, and has its own connection.
 * Every method rejects with `NodeUnreachable` while no node answers: unknown is not "no".
 */
export interface ChainReader {
  readonly chainId: number;
  readonly family: ChainFamily;
  readonly label: string;
  /**
   * The chain's name for the merchant of a charge. EVM: the routers' salt of the merchant; for a refund, the key of the
   * deposit address. Solana: the key that must sign, one of its delegates, or the deposit address that pays.
   */
  merchantOf(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'from' | 'deposit' | 'mandate' | 'router'>): string;
  /** The charge as the chain has it now. Null: its document's transaction does not contain it, or is in no block. */
  evidence(charge: ChargeDoc): Promise<Evidence | null>;
  /** The newest block (Solana: slot) of this certainty; 0 if there is none yet. */
  head(certainty: Certainty): Promise<number>;
  /** The first block at or after a moment. If all blocks are older, the number after the newest. */
  blockAt(moment: Date): Promise<number>;
  /** All charges, refunds of deposits and other movements of the service's keys. Both ends count; pages are bounded. */
  read(from: number, to: number, options: ReadOptions): AsyncIterable<ChainPage>;
  /** The charges and refunds of these transactions, by hash. Those that failed or are in no block are missing. */
  transactions(txHashes: readonly string[]): Promise<ReadonlyMap<string, readonly OnChainCharge[]>>;
  /** The refunds under these keys. EVM: in the transactions. Solana: all that name a key's reference, to anybody. */
  refunds(
    asked: readonly { readonly key: string; readonly transactions: readonly string[] }[],
  ): Promise<OnChainRefund[]>;
  /** Tokens at addresses that must hold none: those that all merchants share, and the operators of these merchants. */
  residues(tenants: readonly Tenant[]): Promise<Residue[]>;
  /** The amounts of every token and of the native coin: one list for each address, in their order. */
  holdings(addresses: readonly string[]): Promise<readonly (readonly Holding[])[]>;
  /** Aborts requests that are under way: their callers get `NodeUnreachable`. */
  close(): Promise<void>;
}

/** The lowest number from `low` to `high` for which `isBefore` is false; `high` if it is true for all lower numbers. */
export async function firstFrom(
  low: number,
  high: number,
  isBefore: (at: number) => Promise<boolean>,
): Promise<number> {
  let [least, most] = [low, high];
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (await isBefore(middle)) least = middle + 1;
    else most = middle;
  }
  return least;
}

/** Splits a list into parts of at most `size`. */
export function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
