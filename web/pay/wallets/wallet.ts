import type { ChainFamily, PermitToSign, Playing } from '../../../src/checkout/wire.ts';

/** A wallet that can be picked. */
export interface WalletOption {
  readonly id: string;
  readonly name: string;
  /** A data: address, as wallets announce it; null: it has none. */
  readonly icon: string | null;
  readonly family: ChainFamily;
  /** `test`: a key that everybody knows, on a local chain. */
  readonly kind: 'extension' | 'test';
  /** What a test wallet is good for. */
  readonly note?: string;
  /** The name of the wallet that it connects. */
  readonly walletName: string;
  /** Asks its owner. Throws a WalletError. */
  connect(): Promise<Wallet>;
  /** Without asking its owner; null: it does not show this account. Throws a WalletError. */
  reconnect(address: string): Promise<Wallet | null>;
}

/** An approval of `value` base units to `operator`, in the place of what it was approved before. */
export interface Approval {
  readonly place: Playing;
  readonly operator: string;
  readonly value: bigint;
  /** The same as an unsigned transaction, base64, for wallets that sign nothing but whole ones (Solana). */
  readonly draft: () => Promise<string>;
}

/** A wallet whose owner has let the page see an account. Everything throws a WalletError. */
export interface Wallet {
  readonly name: string;
  readonly family: ChainFamily;
  /** EVM: checksummed or not, as the wallet says it. Solana: base58. */
  readonly address: string;
  /** Whether it is on this chain now; a Solana wallet is where its transactions are sent to. */
  isOn(place: Playing): Promise<boolean>;
  /** Asks its owner to change to this chain. */
  switchTo(place: Playing): Promise<void>;
  /** A signature of a text in the form that the checkout API takes. */
  signText(message: string): Promise<string>;
  /** null: it knows none of that. */
  readonly signPermit: ((permit: PermitToSign) => Promise<string>) | null;
  /**
   * Has a node carry the approval out without sending it, before the owner is asked. `reset_first`: the token takes it only when
   * what it was approved before has been set to 0. Throws `refused`, with the token's words, where the token would refuse it.
   */
  check(approval: Approval): Promise<'accepted' | 'reset_first'>;
  /** Signs and sends; resolves with the hash as soon as there is one. */
  approve(approval: Approval): Promise<string>;
  /** What has become of a transaction that it has sent, as its own node says; `unknown`: it cannot be asked. */
  landed(hash: string): Promise<'not_yet' | 'good' | 'reverted' | 'unknown'>;
  /** Calls back when account or chain have changed; returns what ends that. */
  onChange(listener: () => void): () => void;
  /** The account that it shows now; null: none any more. */
  currentAddress(): Promise<string | null>;
}

/** `unsupported`: the wallet has no such method. `refused`: the token would refuse it. */
export type WalletErrorKind = 'rejected' | 'busy' | 'unknown_chain' | 'unsupported' | 'refused' | 'failed';

/** A wallet did not do what it was asked. */
export class WalletError extends Error {
  readonly kind: WalletErrorKind;

  constructor(kind: WalletErrorKind, message: string) {
    super(message);
    this.name = 'WalletError';
    this.kind = kind;
  }
}
