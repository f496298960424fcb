import type { AllowanceChangeDoc, BlockRef, ChainFamily, ChargeDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';

/** Why a payer's side of a charge failed (reference, section 6: `payment.failed`). */
export type PullReason = 'insufficient_allowance' | 'insufficient_balance' | 'pull_reverted';

/** Why a share of a charge could not be delivered; nothing has moved. */
export type ShareReason = 'forward_reverted' | 'platform_transfer_reverted' | 'distribute_reverted';

/** The transaction in which each share of a charge moved: normally one and the same. Null: there is no such share. */
export interface ShareHashes {
  readonly pullTxHash: string;
  readonly forwardTxHash: string | null;
  readonly platformTransferTxHash: string | null;
  readonly distributeTxHash: string | null;
}

/** What the chain says about one attempt of one charge. */
export type ChargeFact =
  /** Simulation shows that the pull would fail, or it landed refused and that is final: nothing has moved by this attempt. */
  | { readonly kind: 'refused'; readonly reason: PullReason; readonly landed: boolean }
  /** Simulation, or a final receipt, shows that a share cannot be delivered: nothing has moved by this attempt. */
  | { readonly kind: 'undeliverable'; readonly reason: ShareReason }
  /** The transaction that it was in reverted as a whole: it waits again, and can be withdrawn again. */
  | { readonly kind: 'released' }
  /** It is in a block. May be reported again with another block after a reorganisation. */
  | { readonly kind: 'mined'; readonly hashes: ShareHashes; readonly block: BlockRef }
  /** It is deep enough (`CONFIRMATIONS_<chainId>`). */
  | { readonly kind: 'final'; readonly hashes: ShareHashes; readonly block: BlockRef }
  /** Its block is finalized: nobody checks it any more. */
  | { readonly kind: 'finalized' }
  /** It was final, was reorged out, and can never land again (docs/rules.md, "Payments": Final). */
  | { readonly kind: 'reorged' };

/** That nothing has moved by this attempt, and why. */
export type RefusalFact = Extract<ChargeFact, { kind: 'refused' | 'undeliverable' }>;

export interface ReportedFact {
  readonly charge: ChargeDoc;
  readonly fact: ChargeFact;
}

/** `withdrawn`: its payment has taken it back, for good. */
export type StartAnswer = 'go' | 'withdrawn';

/** What a charge has to leave of the allowance that it takes from, base units of the playing token. */
export interface Reserved {
  /** For others' next charges, whether or not one that is in flight has landed. */
  readonly sure: bigint;
  /** For charges in flight that nothing follows: nothing any more, once they have landed. */
  readonly unsure: bigint;
  /** The payments for which something is in it: the same charge, found in flight, is not to be counted once more. */
  readonly paymentIds: ReadonlySet<string>;
}

/** What the chains need from those who asked for a charge. Every call may come twice. */
export interface ChargeListener {
  /**
   * Asks each payment, directly before signing, whether it still wants this attempt: after `go` it can no longer be
   * canceled. Answers by id of `ChargeDoc`; one without an answer cannot be asked at present.
   */
  start(charges: readonly ChargeDoc[]): Promise<ReadonlyMap<string, StartAnswer>>;
  /**
   * The reserves before each of these charges (docs/rules.md, "Operators, consent, allowances"), by id of `ChargeDoc`. A charge
   * without an answer waits: its reserve cannot be computed at present.
   */
  reserves(charges: readonly ChargeDoc[]): Promise<ReadonlyMap<string, Reserved>>;
  /** Resolves when every fact is durable with its payment; rejects when that is not certain, and is then reported again. */
  notify(facts: readonly ReportedFact[]): Promise<void>;
  /**
   * The wallets (in comparable form) for which a log showed a new allowance or an arrival of tokens on this chain:
   * whoever waits for that checks once. `others`: deposit addresses at which tokens have arrived that the catalog does not have.
   */
  walletsChanged(chainId: number, wallets: readonly string[], others?: readonly OtherToken[]): Promise<void>;
  /**
   * Stores that these allowances have changed. The next tick reads them, and every live subscription that draws on one hears
   * whether it covers its next charge (docs/rules.md, "Operators, consent, allowances").
   */
  allowancesChanged(changes: readonly AllowanceChange[]): Promise<void>;
}

/** One change of the allowance that a wallet gives to a merchant's operator of one mode, for one token. */
export interface AllowanceChange extends Omit<AllowanceChangeDoc, '_id' | 'lookAt' | 'looks'> {
  /** Two with the same name are the same change. */
  readonly name: string;
}

/** A token that the catalog does not have, and a wallet (in comparable form) that a log says has received it. */
export interface OtherToken {
  readonly wallet: string;
  readonly token: string;
}

export interface AllowanceRead {
  readonly token: string;
  readonly wallet: string;
  readonly operator: string;
}

export interface AllowanceState {
  readonly allowance: bigint;
  readonly balance: bigint;
  /** As of which block both were read, so that of two readings the newer one is known; absent: the chain does not say. */
  readonly block?: number;
  /** Solana: the account has a delegate, and it is not this operator. Whatever the operator was granted before is lost. */
  readonly hasOtherDelegate?: true;
}

/** The EIP-712 domain of a token, as it states it: a field that is absent is not part of it. */
export interface PermitDomain {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

/** Of a wallet to an operator, base units of the token; 0 takes it back. */
export interface ApprovalDraft {
  readonly token: string;
  readonly wallet: string;
  readonly operator: string;
  readonly value: bigint;
}

export type DraftedApproval =
  /** Base64 of a transaction that lacks the wallet's signature and nothing else. */
  | { readonly kind: 'draft'; readonly transaction: string }
  /** The chain would refuse it now; `why` is for the payer. */
  | { readonly kind: 'refused'; readonly why: string };

/** Approvals by wallets that sign whole transactions only. */
export interface Approvals {
  /** Drafts it and lets a node simulate it. Throws when the chain does not answer. */
  draft(approval: ApprovalDraft): Promise<DraftedApproval>;
}

/** What a wallet needs to know to sign a permit (EIP-2612) now. */
export interface PermitTerms {
  readonly domain: PermitDomain;
  /** Of the wallet in the token, as on chain. */
  readonly nonce: bigint;
  /** The later of the newest block's time and the own clock, Unix seconds: what deadlines are held against. */
  readonly now: number;
}

/** A permit as somebody hands it in: that the merchant's operator may take `value` base units of `wallet`. */
export interface SignedPermit {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly token: string;
  /** EIP-55. */
  readonly wallet: string;
  readonly value: bigint;
  /** Until when it can be submitted, Unix seconds. */
  readonly deadline: bigint;
  /** 0x-hex of 65 bytes, or of 64 (EIP-2098). */
  readonly signature: string;
}

/** Why a permit is not taken in. */
export type PermitRefusal =
  /** The token has none, or none of this kind. */
  | 'no_permits'
  /** There is a contract at the wallet's address, which has no key to sign with. */
  | 'contract_wallet'
  /** The deadline has passed, or is so near that no block may come before it. */
  | 'too_late'
  /** It is not the wallet's signature of these terms with the nonce on chain. */
  | 'not_signed'
  /** The token itself would not take it now. */
  | 'not_taken';

export type CheckedPermit =
  | { readonly kind: 'good'; readonly nonce: bigint; readonly block: number }
  | { readonly kind: 'refused'; readonly why: PermitRefusal };

/** Permits in place of approvals. Everything throws when the chain does not answer. */
export interface Permits {
  /** Null: the token takes none, or perhaps none of this wallet, which has code (a contract, or a delegation of EIP-7702). */
  terms(token: string, wallet: string): Promise<PermitTerms | null>;
  check(permit: SignedPermit): Promise<CheckedPermit>;
  /**
   * Takes a permit that has been found good: a sender submits it, once. Given again, it is the same. Returns its id, which
   * is that of its `PermitDoc`.
   */
  submit(permit: SignedPermit, checked: { readonly nonce: bigint; readonly block: number }): Promise<string>;
  /** The id that `submit` gives to this permit. */
  idOf(permit: SignedPermit): string;
}

export type SenderHealth = {
  readonly address: string;
  /** Of the chain's native coin in its smallest unit (wei, lamports), decimal, as last seen; null: never seen. */
  readonly balance: string | null;
  /** Transactions that are signed and in no block yet. */
  readonly inFlight: number;
};

/** Where one payment's deposit is sent to. */
export interface DepositAddress {
  readonly address: string;
  /** A block (Solana: slot) before which nothing can have been sent there; null: the chain does not answer. */
  readonly since: number | null;
}

/** What is to be read of one deposit address. */
export interface DepositRead {
  readonly account: string;
  readonly address: string;
  /** The token that it is for; any other of the chain is searched for too. */
  readonly token: string;
  /** By token, base units: what lies there as far as is known. Where the chain says the same nothing is read, unless it moves. */
  readonly known: ReadonlyMap<string, bigint>;
  /** Some of it may be on its way out: as much may have come as has left, so that what has come is read whatever lies there. */
  readonly isMoving: boolean;
  /** The first block (Solana: slot) that has not been read to the end; null: that of `createdAt`, whichever it is. */
  readonly since: number | null;
  readonly createdAt: Date;
  /** What has been found before, and is not found again. */
  readonly found: readonly KnownArrival[];
  /** So many more are taken down: no more are read. One or more. */
  readonly room: number;
  /** EVM: tokens that the catalog does not have, to be searched for too. Solana finds its own. */
  readonly others: readonly string[];
}

/** An arrival that has been taken down. */
export type KnownArrival = Pick<Arrival, 'txHash' | 'index' | 'token'>;

/** Something that was sent to a deposit address. */
export interface Arrival {
  readonly txHash: string;
  /** Its place among the logs (Solana: among the instructions) of its transaction: the same whenever it is read. */
  readonly index: number;
  readonly token: string;
  readonly from: string;
  readonly amount: bigint;
  readonly block: BlockRef;
  /** The sending account signed the transaction itself. */
  readonly isOwn: boolean;
}

/** Names an arrival on its chain. */
export function arrivalName({ txHash, index }: Pick<Arrival, 'txHash' | 'index'>): string {
  return `${txHash}:${index}`;
}

/** Money at a deposit address that no arrival explains. */
export interface OtherMoney {
  readonly token: string;
  /** Base units; more than 0. */
  readonly amount: bigint;
  /**
   * `unread`: of a token whose arrivals count, and no node shows a transaction that can be read and has brought it.
   * `not_in_catalog`: the native coin (`NATIVE_COIN`), or a token that the catalog does not have; on Solana one of its tokens too
   * that lies in another account than the associated one. Of several accounts of one mint `amount` is that of the fullest.
   */
  readonly why: 'unread' | 'not_in_catalog';
  /** The block (Solana: slot) as of which it lies there. */
  readonly block: number;
}

/** The new findings of one check of a deposit address. */
export interface DepositState {
  /** Deep enough to count, in the order of the chain. */
  readonly arrivals: readonly Arrival[];
  /** In a block that is not deep enough yet; base units of the token that the address is for. */
  readonly shallow: bigint;
  /** At most one for each token; what is not among them is not there any more, or is explained. */
  readonly others: readonly OtherMoney[];
  /** The chain does not say now which tokens are there that the catalog does not have: any may be missing among `others`. */
  readonly otherTokens?: 'unknown';
  /** The address has more transfers than one check reads, or than the node shows yet: the next check continues from here. */
  readonly isCut: boolean;
  /** The first block (Solana: slot) that has to be read again; as it was while some of what is known is on the move. */
  readonly since: number | null;
}

export type ChainHealth = {
  readonly chainId: number;
  readonly label: string;
  readonly enabled: boolean;
  /** Null when all is well; else one sentence for people: no RPC, no answer since when, out of gas, wrong router code. */
  readonly trouble: string | null;
  readonly head: number | null;
  /** Charges that wait, are signed, or are mined and not yet final. */
  readonly open: number;
  /** Those who sign and pay for transactions: EVM senders, Solana fee payers. */
  readonly senders: readonly SenderHealth[];
};

/** One chain on which charges are played. Adapters: EVM, Solana. */
/** What an address is named for: to be sent tokens, or to approve and pay. */
export type AddressRole = 'payee' | 'payer';

export interface Chain {
  readonly chainId: number;
  readonly family: ChainFamily;
  /** Enabled by configuration; whether it answers at the moment is `health`. */
  readonly enabled: boolean;
  /** What this merchant's payers approve: EVM spender or Solana delegate. Known before anything is on the chain. */
  operatorFor(merchantId: string, mode: Mode): string;
  /**
   * Batched reads, one answer per read in its order; null where the token cannot be used, because its contract or mint is not
   * what the catalog says. Throws when the chain does not answer: unknown is not zero.
   */
  readAllowances(reads: readonly AllowanceRead[]): Promise<(AllowanceState | null)[]>;
  /**
   * Where the deposit of the payment whose charge has this key is sent to: the same for the same key, before and after
   * anything is there (docs/rules.md, "Payments": `wallet_transfer`).
   */
  openDeposit(key: string): Promise<DepositAddress>;
  /** Batched, one answer per read in its order. Throws when the chain does not answer: unknown is not nothing. */
  readDeposits(reads: readonly DepositRead[]): Promise<DepositState[]>;
  /**
   * Whether a contract wallet takes this signature (0x-hex) of a digest (0x-hex, 32 bytes) for its own (EIP-1271); false for
   * what is no contract, and on Solana. Throws when the chain does not answer.
   */
  acceptsSignature(wallet: string, digest: string, signature: string): Promise<boolean>;
  /** Null: tokens of this chain's family know no permits. */
  readonly permits: Permits | null;
  /** Null: a wallet of this chain's family makes an approval itself, of token, operator and value. */
  readonly approvals: Approvals | null;
  /**
   * Why an address can never have this role, as words that follow "must not be"; null: nothing is known against it. Tokens that
   * are sent to an unsuitable payee would be lost or refused; an unsuitable payer cannot sign. Throws when the chain does not
   * answer.
   */
  whyUnsuitable(address: string, role: AddressRole): Promise<string | null>;
  /** The spelling to be stored of an address that could receive on this chain; null when it is no such address. */
  parseAddress(address: string): string | null;
  /** Notifies the chain's queues that charges wait, so that they do not wait for the next tick. */
  wake(): void;
  /** Starts queues, reconciler and log watcher of this chain in this process; they end with `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): Promise<ChainHealth>;
}

/** What the service knows of all chains. */
export interface Chains {
  /** By the id of the playing chain; undefined: this installation has no such chain. */
  get(chainId: number): Chain | undefined;
  all(): readonly Chain[];
}
