import type { RefundTransfer } from '../../machines/refund/context.ts';
import type { BlockRef, ChainFamily, ChangedAllowance, ChargeDoc } from '../store/collections.ts';
import type { Mode, Tenant } from '../store/documents.ts';
import type { Consent } from './consent.ts';

/** Why the pull from the payer failed (reference, section 6: `payment.failed`). */
export type PullReason = 'insufficient_allowance' | 'insufficient_balance' | 'pull_reverted';

/** Why a share of a charge could not be delivered. Nothing moved. */
export type ShareReason = 'forward_reverted' | 'platform_transfer_reverted' | 'distribute_reverted';

/** The transaction that moved each share of a charge: normally one for all. Null: there is no such share. */
export interface ShareHashes {
  readonly pullTxHash: string;
  readonly forwardTxHash: string | null;
  readonly platformTransferTxHash: string | null;
  readonly distributeTxHash: string | null;
}

/** A fact from the chain about one attempt of one charge. */
export type ChargeFact =
  /** Simulation shows that the pull would fail, or it landed refused, finally. This attempt moved nothing. */
  | { readonly kind: 'refused'; readonly reason: PullReason; readonly landed: boolean }
  /** Simulation, or a final receipt, shows that a share cannot be delivered. This attempt moved nothing. */
  | { readonly kind: 'undeliverable'; readonly reason: ShareReason }
  /** Its transaction reverted as a whole, or can never land: the charge waits again, and can be withdrawn again. */
  | { readonly kind: 'released' }
  /** It is in a block. After a reorganisation this may be reported again, with another block. */
  | { readonly kind: 'mined'; readonly hashes: ShareHashes; readonly block: BlockRef }
  /** It is deep enough (`CONFIRMATIONS_<chainId>`). */
  | { readonly kind: 'final'; readonly hashes: ShareHashes; readonly block: BlockRef }
  /** It was final, was reorged out, and is in a block again in another transaction. */
  | { readonly kind: 'moved'; readonly hashes: ShareHashes; readonly block: BlockRef }
  /** Its block is finalized: it is not checked any more. */
  | { readonly kind: 'finalized' }
  /** It was final, was reorged out, and can never land again (docs/rules.md, "Payments": Final). */
  | { readonly kind: 'reorged' };

/** A fact that says that this attempt moved nothing, and why. */
export type RefusalFact = Extract<ChargeFact, { kind: 'refused' | 'undeliverable' }>;

export interface ReportedFact {
  readonly charge: ChargeDoc;
  readonly fact: ChargeFact;
}

/** `withdrawn`: its payment has withdrawn it for good. */
export type StartAnswer = 'go' | 'withdrawn';

/** The reserve: the part of the allowance that a charge has to leave, in base units of the playing token. */
export interface Reserved {
  /** For the next charges of others. It is the same whether or not a charge in flight has landed. */
  readonly sure: bigint;
  /** For charges in flight that no further charge follows. It is zero once they have landed. */
  readonly unsure: bigint;
  /** The payments whose charges the reserve includes: one of theirs in flight must not count twice. */
  readonly paymentIds: ReadonlySet<string>;
}

/** The calls of a chain to those who asked for a charge. Every call may be repeated. */
export interface ChargeListener {
  /**
   * Asks each payment, directly before signing, whether it still wants this attempt. After `go` the attempt can no
   * longer be canceled. Answers by id of `ChargeDoc`; a payment without an answer cannot be asked at present.
   */
  start(charges: readonly ChargeDoc[]): Promise<ReadonlyMap<string, StartAnswer>>;
  /**
   * The reserves before each of these charges (docs/rules.md, "Operators, consent, allowances"), by id of `ChargeDoc`.
   * A charge without an answer waits: its reserve cannot be computed at present. `at_most`: not less than the reserve,
   * and as cheap for a payer of many subscriptions.
   */
  reserves(charges: readonly ChargeDoc[], precision: 'at_most' | 'exact'): Promise<ReadonlyMap<string, Reserved>>;
  /** Resolves when every payment has stored its facts. Rejects if that is not certain; then they are reported again. */
  notify(facts: readonly ReportedFact[]): Promise<void>;
  /**
   * Reports wallets (in comparable form) for which a log on this chain showed a new allowance or an arrival of tokens:
   * whoever waits for that checks once. `others`: deposit addresses that received tokens outside the catalog.
   */
  walletsChanged(chainId: number, wallets: readonly string[], others?: readonly OtherToken[]): Promise<void>;
  /**
   * Stores that these allowances have changed. The next tick reads them, and notifies every live subscription that
   * draws on one, and canceled ones of revocations (docs/rules.md, "Operators, consent, allowances").
   */
  allowancesChanged(changes: readonly ChangedAllowance[]): Promise<void>;
}

/** A token outside the catalog, and a wallet (in comparable form) that received it according to a log. */
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
  /** The block in which both were read, so that readings can be ordered. Absent: the chain does not give it. */
  readonly block?: number;
  /** Solana: the account has another delegate. The allowance that this operator had before is lost. */
  readonly hasOtherDelegate?: true;
}

/** The EIP-712 domain of a token, as the token states it. Absent fields are not part of it. */
export interface PermitDomain {
  readonly name?: string;
  readonly version?: string;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly salt?: string;
}

/** An approval of an operator by a wallet. `value` is in base units of the token; 0 revokes the approval. */
export interface ApprovalDraft extends AllowanceRead {
  readonly value: bigint;
}

export type DraftedApproval =
  /** Base64 of a transaction that lacks only the wallet's signature. */
  | { readonly kind: 'draft'; readonly transaction: string }
  /** The chain would refuse it now; `why` is for the payer. */
  | { readonly kind: 'refused'; readonly why: string };

/** Approvals for wallets that sign only whole transactions. */
export interface Approvals {
  /** Drafts the transaction, and lets a node simulate it. Throws when the chain does not answer. */
  draft(approval: ApprovalDraft): Promise<DraftedApproval>;
}

/** The facts that a wallet needs to sign a permit (EIP-2612) now. */
export interface PermitTerms {
  readonly domain: PermitDomain;
  /** The nonce of the wallet in the token, as on chain. */
  readonly nonce: bigint;
  /** The moment to compare deadlines with: the later of the newest block's time and the own clock, in Unix seconds. */
  readonly now: number;
}

/** A permit as received: it lets the merchant's operator take `value` base units from `wallet`. */
export interface SignedPermit extends Tenant {
  /** Which operator of the merchant. */
  readonly consent: Consent;
  readonly token: string;
  /** EIP-55. */
  readonly wallet: string;
  readonly value: bigint;
  /** The latest moment of submission, in Unix seconds. */
  readonly deadline: bigint;
  /** 0x-hex of 65 bytes, or of 64 (EIP-2098). */
  readonly signature: string;
}

/** Why a permit is refused. */
export type PermitRefusal =
  /** The token has no permits, or none of this kind. */
  | 'no_permits'
  /** The wallet is a contract, which has no key to sign with. */
  | 'contract_wallet'
  /** The deadline has passed, or may pass before the next block. */
  | 'too_late'
  /** It is not the wallet's signature of these terms with the nonce on chain. */
  | 'not_signed'
  /** The token itself would refuse it now. */
  | 'not_taken';

export type CheckedPermit =
  | { readonly kind: 'good'; readonly nonce: bigint; readonly block: number }
  | { readonly kind: 'refused'; readonly why: PermitRefusal };

/** Permits instead of approvals. Every method throws when the chain does not answer. */
export interface Permits {
  /** Null: the token takes no permits, or perhaps none from this wallet, which has code (EIP-7702, too). */
  terms(token: string, wallet: string): Promise<PermitTerms | null>;
  check(permit: SignedPermit): Promise<CheckedPermit>;
  /** Accepts a permit that `check` found good: a sender submits it, once. Returns the id of its `PermitDoc`. */
  submit(permit: SignedPermit, checked: { readonly nonce: bigint; readonly block: number }): Promise<string>;
  idOf(permit: SignedPermit): string;
}

export type SenderHealth = {
  readonly address: string;
  /** The chain's native coin in its smallest unit (wei, lamports), decimal, as last seen. Null: never seen. */
  readonly balance: string | null;
  /** How many of the smallest charges the balance pays for, at the prices of the last reading. Null: not known. */
  readonly chargesLeft: number | null;
  /** Transactions that are signed and in no block yet. */
  readonly inFlight: number;
  /** Transactions of the last hour that no block can contain any more, as with an expired blockhash on Solana. */
  readonly expired: number;
};

/** The address to which one payment's deposit is sent. */
export interface DepositAddress {
  readonly address: string;
  /** Nothing can have been sent there before this block (Solana: slot). Null: the chain does not answer. */
  readonly since: number | null;
  /** EVM: the router that can move what arrives there. Null: the family has none. */
  readonly router: string | null;
}

export interface DepositRead {
  readonly account: string;
  readonly address: string;
  /** The token that the address is for. The chain's other tokens are searched for too. */
  readonly token: string;
  /** The known base units at the address, by token. If the chain has the same, no more is read unless `isMoving`. */
  readonly known: ReadonlyMap<string, bigint>;
  /** True if money may be on its way out: arrivals are read whatever the amounts, which could cancel out. */
  readonly isMoving: boolean;
  /** The first block (Solana: slot) that is not completely read. Null: the block of `createdAt`. */
  readonly since: number | null;
  readonly createdAt: Date;
  /** Arrivals that were found before. They are not reported again. */
  readonly found: readonly KnownArrival[];
  /** How many more arrivals can be stored; no more are read. At least 1. */
  readonly limit: number;
  /** EVM: tokens outside the catalog to search for too. Solana finds them itself. */
  readonly others: readonly string[];
}

export type KnownArrival = Pick<Arrival, 'txHash' | 'index' | 'token'>;

/** A transfer to a deposit address. */
export interface Arrival {
  readonly txHash: string;
  /** Its index among the logs (Solana: the instructions) of its transaction. Every reading gives the same number. */
  readonly index: number;
  readonly token: string;
  readonly from: string;
  readonly amount: bigint;
  readonly block: BlockRef;
}

export function arrivalName({ txHash, index }: Pick<Arrival, 'txHash' | 'index'>): string {
  return `${txHash}:${index}`;
}

/** Money at a deposit address that no arrival explains. */
export interface OtherMoney {
  readonly token: string;
  /** Base units; more than 0. */
  readonly amount: bigint;
  /**
   * `unread`: a token whose arrivals count, but no node shows a readable transaction that brought it. `not_in_catalog`:
   * the native coin (`NATIVE_COIN`), or a token outside the catalog; on Solana also a token of the catalog in another
   * account than the associated one. If several accounts hold one mint, `amount` is that of the fullest.
   */
  readonly why: 'unread' | 'not_in_catalog';
  /** The block (Solana: slot) of this reading. */
  readonly block: number;
}

/** The new findings of one check of a deposit address. */
export interface DepositState {
  /** Deep enough to count, in the order of the chain. */
  readonly arrivals: readonly Arrival[];
  /** Arrivals in blocks that are not deep enough yet, in base units of the token that the address is for. */
  readonly shallow: bigint;
  /** At most one for each token. Money that is not listed has gone, or is explained. */
  readonly others: readonly OtherMoney[];
  /** The chain does not show now which tokens outside the catalog are there: `others` may lack some. */
  readonly otherTokens?: 'unknown';
  /** True if the address has more transfers than one check reads, or the node shows: the next check continues here. */
  readonly isCut: boolean;
  /** The first block (Solana: slot) that has to be read again. It stays as it was while known money is on the move. */
  readonly since: number | null;
}

/** A refund that a merchant's wallet is to send (docs/rules.md, "Refunds"). */
export interface RefundDraft {
  /** EVM: the key of the charge. Solana: that of the refund, from which its reference follows. */
  readonly key: string;
  /** For people who read the transaction. */
  readonly paymentId: string;
  readonly refundId: string;
  readonly token: string;
  /** The merchant's wallet. */
  readonly from: string;
  readonly to: string;
  /** Base units. */
  readonly amount: bigint;
}

/** A transaction that lacks only what its sender's wallet adds: fees, nonce and signature. */
export type RefundTransaction =
  | {
      readonly family: 'evm';
      readonly purpose: 'approve' | 'refund';
      readonly chainId: number;
      readonly from: string;
      readonly to: string;
      /** 0x-hex. */
      readonly data: string;
      readonly value: '0';
    }
  | {
      readonly family: 'solana';
      readonly purpose: 'refund';
      readonly chainId: number;
      readonly from: string;
      /** Base64 of the unsigned transaction. It is valid for about a minute. */
      readonly transaction: string;
    };

export interface DraftedRefund {
  /** In the order in which they are sent. */
  readonly transactions: readonly RefundTransaction[];
  /** What the wallet has, in base units. */
  readonly balance: bigint;
}

/** The refunds under one key, to be searched for on the chain. */
export interface RefundRead {
  readonly key: string;
  readonly token: string;
  readonly receiver: string;
  /** The first block to read; null: unknown. */
  readonly since: number | null;
  readonly createdAt: Date;
  readonly known: readonly RefundTransfer[];
}

export interface FoundRefund extends RefundTransfer {
  readonly key: string;
  readonly token: string;
  readonly receiver: string;
  /** Base units. */
  readonly amount: bigint;
  /** Its block is deep enough (`CONFIRMATIONS_<chainId>`). */
  readonly isFinal: boolean;
}

export interface RefundState {
  readonly found: readonly FoundRefund[];
  /** Those of the known transfers that the chain has dropped. */
  readonly gone: readonly RefundTransfer[];
  /** The newest block (Solana: slot) that the chain never removes. */
  readonly finalized: number;
  /** The first block to read next time. */
  readonly since: number | null;
}

/** Refunds that merchants send from their own wallets. */
interface Refunds {
  /** The first block in which a transfer can be that is sent from now on; null: unknown. */
  searchStart(): Promise<number | null>;
  /** Throws when the chain does not answer, and if the token cannot be used. */
  draft(refund: RefundDraft): Promise<DraftedRefund>;
  /** Batched reads, one answer per read in their order. Throws when the chain does not answer. */
  read(reads: readonly RefundRead[]): Promise<RefundState[]>;
}

export type ChainHealth = {
  readonly chainId: number;
  readonly label: string;
  readonly enabled: boolean;
  /** Null when all is well. Else a sentence for people: no RPC, no answer since when, out of gas, wrong router code. */
  readonly trouble: string | null;
  readonly head: number | null;
  /** Transactions that reverted as a whole, one after another, since one did not: as this process has seen them. */
  readonly reverts: number;
  /** Charges that wait, are signed, or are mined and not final yet. */
  readonly open: number;
  /** The keys that sign and pay for transactions: EVM senders, Solana fee payers. */
  readonly senders: readonly SenderHealth[];
};

/** The use of an address: to receive tokens, or to approve and pay. */
export type AddressRole = 'payee' | 'payer';

/** One chain on which charges are played. Adapters: EVM, Solana. */
export interface Chain {
  readonly chainId: number;
  readonly family: ChainFamily;
  /** Enabled by configuration. `health` says whether the chain answers now. */
  readonly enabled: boolean;
  /** The number of keys that sign and pay for transactions (EVM senders, Solana fee payers), each with its queue. */
  readonly senderCount: number;
  /** EVM: the router for which payers authorize from now on. Null: there is none, or the family has none. */
  readonly router: string | null;
  /** EVM: all routers, the newest first. Charges and deposits of each go on there. Empty: there is none. */
  readonly routers: readonly string[];
  /** What this merchant's payers approve: EVM spender or Solana delegate. Without a consent: the open operator. */
  operatorFor(merchantId: string, mode: Mode, consent?: Consent): string;
  /**
   * Batched reads, one answer per read in their order. Null: the token cannot be used, because its contract or mint
   * differs from the catalog. Throws when the chain does not answer: unknown is not zero.
   */
  readAllowances(reads: readonly AllowanceRead[]): Promise<(AllowanceState | null)[]>;
  /**
   * The deposit address of the payment whose charge has this key, at the newest router. It is always the same for a key
   * and a router, before and after money arrives (docs/rules.md, "Payments": `wallet_transfer`).
   */
  openDeposit(key: string): Promise<DepositAddress>;
  /** One answer per read, in their order. Throws when the chain does not answer: unknown is not nothing. */
  readDeposits(reads: readonly DepositRead[]): Promise<DepositState[]>;
  /**
   * True if a contract wallet accepts this signature (0x-hex) of a digest (0x-hex, 32 bytes) as its own (EIP-1271),
   * even one to be created (ERC-6492). False if there is none, and on Solana. Throws when the chain does not answer.
   */
  acceptsSignature(wallet: string, digest: string, signature: string): Promise<boolean>;
  readonly refunds: Refunds;
  /** Null: tokens of this chain's family have no permits. */
  readonly permits: Permits | null;
  /** Null: wallets of this chain's family make approvals themselves, from token, operator and value. */
  readonly approvals: Approvals | null;
  /**
   * Why an address can never have this role, as words that follow "must not be". Null: no reason is known. Tokens sent
   * to an unsuitable payee would be lost or refused; an unsuitable payer cannot sign. `tokens`: on Solana a payee must
   * have an account for each of them. Throws when the chain does not answer.
   */
  whyUnsuitable(address: string, role: AddressRole, tokens?: readonly string[]): Promise<string | null>;
  /** The spelling to store for an address that can receive on this chain. Null: it is no such address. */
  parseAddress(address: string): string | null;
  /** Wakes the chain's queues, so that waiting charges do not wait for the next tick. */
  wake(): void;
  /** Starts queues, reconciler and log watcher of this chain in this process; `stop` ends them. */
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): Promise<ChainHealth>;
}

/** All chains that the service knows. */
export interface Chains {
  /** By the id of the playing chain. Undefined: this installation has no such chain. */
  get(chainId: number): Chain | undefined;
  all(): readonly Chain[];
}

/** The EIP-712 fields of a permit (EIP-2612), which a wallet signs instead of an approve. */
export const PERMIT_FIELDS: readonly { readonly name: string; readonly type: string }[] = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
];
