import type { ChainFamily, PermitToSign, Playing, TypedData } from '../../../src/checkout/wire.ts';
import type { Pairing } from './pairing.ts';

/** A wallet that the payer can choose. */
export interface WalletOption {
  readonly id: string;
  readonly name: string;
  /** A data: URL from the wallet's announcement; null: none. */
  readonly icon: string | null;
  readonly family: ChainFamily;
  /** `test`: a key that everybody knows, on a local chain. `walletconnect`: any wallet on another device. */
  readonly kind: 'extension' | 'test' | 'walletconnect';
  /** The purpose of a test wallet. */
  readonly note?: string;
  /** Of `walletconnect`. */
  readonly pairing?: Pairing;
  /** True if the wallet of this name was connected by this option. */
  connects(name: string): boolean;
  /** Prompts its owner. Throws a WalletError. */
  connect(): Promise<Wallet>;
  /** Without a prompt; null: the wallet does not show this account. Throws a WalletError. */
  reconnect(address: string): Promise<Wallet | null>;
}

/** A chain, as a wallet is asked for it. */
export type Network = Pick<Playing, 'chainId' | 'label'>;

/** A transaction that the service has drafted, without what a wallet adds to it. Solana: unsigned, base64. */
export type Drafted =
  | { readonly family: 'evm'; readonly to: string; readonly data: string }
  | { readonly family: 'solana'; readonly transaction: string };

/** An approval of `value` base units to `operator`, which replaces the previous approval. */
export interface Approval {
  readonly payToken: Playing;
  readonly operator: string;
  readonly value: bigint;
  /** The same as an unsigned transaction, base64, for wallets that sign only whole transactions (Solana). */
  readonly draft: () => Promise<string>;
}

/** How a token takes an approval. `in_one`: from 0 only, and the wallet can do both steps in one confirmation. */
export type Taking = 'accepted' | 'reset_first' | 'in_one';

/** An agreement of this wallet, by its names on the contract that keeps it (EVM). */
export interface Agreement {
  readonly payToken: Playing;
  readonly router: string;
  readonly merchant: string;
  readonly agreement: string;
}

/** What a wallet can do with its agreements on their contract. */
export interface Agreements {
  /** Ends it for good; resolves as `approve`. */
  end(agreement: Agreement): Promise<string>;
  isEnded(agreement: Agreement): Promise<boolean>;
}

/** A wallet that shows an account to the page. All methods throw a WalletError. */
export interface Wallet {
  readonly name: string;
  readonly family: ChainFamily;
  /** EVM: checksummed or not, as the wallet returns it. Solana: base58. */
  readonly address: string;
  /** True if it is on this chain now; a Solana wallet is on any chain to which it can send. */
  isOn(network: Pick<Network, 'chainId'>): Promise<boolean>;
  /** Prompts its owner to switch to this chain. */
  switchTo(network: Network): Promise<void>;
  /** A signature of a text, in the form of the checkout API. */
  signText(message: string): Promise<string>;
  /**
   * A signature of EIP-712 typed data, which is passed on as it is, and which the wallet shows field by field. The
   * wallet has to be on the chain of the data. null: its chain family has no typed data. Throws `unsupported` if the
   * wallet lacks the method.
   */
  readonly signTypedData: ((data: PermitToSign | TypedData) => Promise<string>) | null;
  /**
   * Simulates the approval on a node before the owner is prompted. `reset_first`: the token accepts it only after the
   * previous approval is set to 0. Throws `refused`, with the token's reason, if the token would refuse it.
   */
  check(approval: Approval): Promise<Taking>;
  /** Signs and sends; resolves with the hash as soon as it exists, or with the id of a batch. */
  approve(approval: Approval): Promise<string>;
  /**
   * Sends a transaction of its own chain family; resolves as `approve`. EVM: simulated before the prompt; throws
   * `failed` with the reason if it would revert.
   */
  send(drafted: Drafted, network: Network): Promise<string>;
  /** True for the id of a batch, whose transaction the wallet keeps; absent: the wallet has no batches. */
  readonly isBatch?: (id: string) => boolean;
  /**
   * Both steps of an approval from 0 in one confirmation, all or nothing (EIP-5792). Resolves with the id of the batch,
   * for `landed`. Throws `unsupported` if the wallet does not do it after all; from then on `check` answers
   * `reset_first`. null: the chain family needs no such thing. The agreement cannot be part of a batch: its signature
   * is not a transaction, and the service makes the first charge.
   */
  readonly approveInOne: ((approval: Approval) => Promise<string>) | null;
  /** null: no contract keeps agreements on its chain family. */
  readonly agreements: Agreements | null;
  /** The state of a sent transaction or batch on the wallet's own node; `unknown`: the wallet cannot answer. */
  landed(hash: string): Promise<'not_yet' | 'good' | 'reverted' | 'unknown'>;
  /** Calls back after a change of account or chain; returns the function that ends this. */
  onChange(listener: () => void): () => void;
  /** The account that it shows now; null: none. */
  currentAddress(): Promise<string | null>;
  /** The payer wants another wallet: ends a connection that would otherwise outlive the page. */
  readonly leave?: () => void;
}
