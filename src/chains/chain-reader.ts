import type { BlockRef, ChainFamily, ChargeDoc } from '../store/collections.ts';
import type { Tenant } from '../store/tenant.ts';

/** A share as the chain has paid it. */
export interface OnChainShare {
  readonly to: string;
  /** Solana: the token account that received it; null on EVM, where an address receives. */
  readonly account: string | null;
  /** Base units. */
  readonly amount: bigint;
  /** EVM: the number of its Transfer log in the block; Solana: of its instruction in the transaction. Null: not searched for. */
  readonly index: number | null;
}

/** A charge as the chain has made it. */
export interface OnChainCharge {
  readonly key: string;
  readonly txHash: string;
  /** The hash is null where nobody asked for it. */
  readonly block: { readonly number: number; readonly hash: string | null };
  /** Whose charge it is, in the words of `ChainReader.merchantOf`. */
  readonly merchant: string;
  readonly token: string;
  readonly from: string;
  /** Base units; the sum of the shares. */
  readonly gross: bigint;
  /** In the order in which they were paid, those of nothing left out. */
  readonly shares: readonly OnChainShare[];
  /** EVM: the number of the router's log in the block; Solana: of the memo's instruction. Null: not searched for. */
  readonly index: number | null;
}

/** Something that the keys of the service, or its router, have done and that is no charge. */
export interface Movement {
  readonly txHash: string;
  readonly block: number;
  /** For people: what moved, from whom, to whom. */
  readonly what: string;
  /** Fine where the ledger knows the transaction; else it is a difference in any case. */
  readonly mayBeKnown: boolean;
}

/** What has happened in a stretch of the chain, or in a part of it. */
export interface ChainPage {
  readonly charges: readonly OnChainCharge[];
  readonly others: readonly Movement[];
}

/** One charge, in a block that is in the chain. */
export interface Evidence {
  readonly charge: OnChainCharge & { readonly block: BlockRef };
  /** Blocks from its own to the newest, both counted; on Solana slots. */
  readonly confirmations: number;
}

/** Tokens where none may stay. */
export interface Residue {
  /** For people: whose the address is. */
  readonly holder: string;
  /** Whose operator it is; null: what all merchants share. */
  readonly tenant: Tenant | null;
  readonly address: string;
  readonly token: string;
  readonly amount: bigint;
}

/** How much of one token lies at an address, zero too. */
export interface Holding {
  /** Null: the native coin. */
  readonly token: string | null;
  /** Base units. */
  readonly amount: bigint;
  /** The block (Solana: slot) as of which that was so. */
  readonly block: number;
}

/** `final`: as deep as a payment needs to be settled; `finalized`: never to change again. */
export type Certainty = 'final' | 'finalized';

export interface ReadOptions {
  /** Whose keys are checked beside those that all merchants share. */
  readonly tenants: readonly Tenant[];
  /** Which of these transactions the ledger has: they need not be checked twice. */
  readonly known: (txHashes: readonly string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Reads what one chain says of charges that have been made, for proofs and for the audit. It signs nothing, and has a
 * connection of its own. Everything rejects with `NodeUnreachable` while nobody answers: unknown is not "no".
 */
export interface ChainReader {
  readonly chainId: number;
  readonly family: ChainFamily;
  readonly label: string;
  /**
   * How the chain names whose charge it is: on EVM the router's salt of the merchant, of a refund the key of the deposit
   * address; on Solana who had to sign for it, the merchant's delegate or, where it is paid from a deposit, that address.
   */
  merchantOf(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'from' | 'deposit'>): string;
  /** The router; null on Solana, which has none. */
  readonly router: string | null;
  /** The charge as the chain has it now; null: not in the transaction that its document names, or that is in no block. */
  evidence(charge: ChargeDoc): Promise<Evidence | null>;
  /** The newest block (Solana: slot) that is as certain as this; 0 where there is none yet. */
  head(certainty: Certainty): Promise<number>;
  /** The first block at or after a moment; the one behind the newest where all are older. */
  blockAt(moment: Date): Promise<number>;
  /** All charges, the refunds of deposits among them, and all other movements of the service's keys in these blocks, both ends included; in bounded parts. */
  read(from: number, to: number, options: ReadOptions): AsyncIterable<ChainPage>;
  /** The charges, and refunds, of these transactions, by hash; a transaction that failed or is in no block is not among them. */
  transactions(txHashes: readonly string[]): Promise<ReadonlyMap<string, readonly OnChainCharge[]>>;
  /** What is left where nothing may be left: at what all merchants share, and at these merchants' operators. */
  residues(tenants: readonly Tenant[]): Promise<Residue[]>;
  /** What lies at these addresses of every token of the chain and of its native coin, one list for each address in their order. */
  holdings(addresses: readonly string[]): Promise<readonly (readonly Holding[])[]>;
  /** Gives up what is under way: to whoever asked, nobody has answered. */
  close(): Promise<void>;
}

/** The lowest number from `low` to `high` for which `isBefore` is no longer true; `high` where it is true for all below. */
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

/** Parts of a list of at most `size`. */
export function partsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
