import type { FailureReason } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { Envelope, JournalDoc, Mode } from './documents.ts';

export type ChainFamily = 'evm' | 'solana';

/** A merchant account, of both environments. */
export interface MerchantDoc {
  readonly _id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly feeBps: number;
  /** Multiplies the default limits (docs/rules.md, "Limits"). */
  readonly limitFactor: number;
  readonly webhook: WebhookSettings;
  /** The newest thing that staff did to the account; absent: nothing yet. */
  readonly staffEntry?: StaffEntryDoc;
  readonly recentOps?: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What staff can do to a merchant. */
export type StaffAction =
  | 'merchant.suspended'
  | 'merchant.reinstated'
  | 'merchant.changed'
  | 'key.issued'
  | 'key.revoked'
  | 'wallet.set'
  | 'wallet.removed'
  | 'delivery.redelivered'
  | 'deposit.sent'
  | 'actor.released'
  | 'actor.restored';

/**
 * One thing that staff did. It is written first into the document that it is about, in the same write as the change, and
 * copied to its collection before anybody learns of the change: one document is the unit of atomicity.
 */
export interface StaffEntryDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly at: Date;
  /** `staff`, or `staff:NAME`. */
  readonly by: string;
  readonly reason: string;
  readonly action: StaffAction;
  /** What it was done to, and values before and after. */
  readonly details: JsonObject;
}

/** `read` checks; `act` sends events, and administers merchants, too. */
export type StaffRole = 'read' | 'act';

/** The token of one member of the staff. `_id` is its SHA-256, hex. */
export interface StaffTokenDoc {
  readonly _id: string;
  readonly name: string;
  /** The name while it lets in, which one token of that name does; null once it is revoked. */
  readonly inForce: string | null;
  readonly role: StaffRole;
  /** The last four characters, for people. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** A browser that has shown a staff token. `_id` is the SHA-256 of what its cookie holds, hex. */
export interface StaffSessionDoc {
  readonly _id: string;
  /** SHA-256 of the token, hex: a session lets in for as long as its token does. */
  readonly tokenId: string;
  /** Who of the staff it is, as the journal keeps it. */
  readonly by: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface WebhookSettings {
  readonly liveUrl: string;
  readonly testUrl: string;
  readonly secret: string | null;
  readonly secretRotatedAt: Date | null;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
  readonly extraEvents: { readonly live: boolean; readonly test: boolean };
}

/** An API key: `_id` is the SHA-256 of the key, hex. */
export interface ApiKeyDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  /** The last four characters, for people. */
  readonly hint: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** The newest thing that staff did to it; absent: nothing yet. */
  readonly staffEntry?: StaffEntryDoc;
  readonly recentOps?: readonly string[];
}

export interface Split {
  readonly address: string;
  /** Decimal string, at most two places. */
  readonly percentage: string;
}

export interface AcceptedToken {
  readonly tokenKey: string;
  readonly chainId: number;
  /** Base units of that token, decimal digits; frozen at creation. */
  readonly amountBaseUnits: string;
}

export interface Billing {
  readonly type: 'recurring' | 'one_time';
  readonly interval: 'day' | 'week' | 'month' | 'year' | null;
  readonly intervalCount: number | null;
}

export interface DestinationWallets {
  readonly evm: string | null;
  readonly solana: string | null;
}

export interface PricingOption {
  readonly id: string;
  readonly label: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly billing: Billing;
  readonly acceptedTokens: readonly AcceptedToken[];
  readonly trialDays: number | null;
  readonly maxCycles: number | null;
  readonly maxFailedCycles: number | null;
  readonly merchantDestinationWallet: DestinationWallets | null;
  readonly active: boolean;
}

export interface OfferDoc extends Envelope {
  readonly name: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly identifier: string | null;
  readonly productRef: string | null;
  readonly pricing: readonly PricingOption[];
  readonly active: boolean;
  readonly availableQuantity: number | null;
  readonly redeemedCount: number;
  /** Units taken and not yet counted: ids of the payments or subscriptions that hold one. */
  readonly holds: readonly string[];
  /** For whom a unit was counted that they did not hold any more: their first charge had been given up and landed after all. */
  readonly redeemedLate?: readonly string[];
  readonly expiresAt: Date | null;
  readonly afterCompletion: JsonObject;
  readonly features: readonly JsonObject[];
  readonly collectFields: JsonObject;
  readonly allowedPaymentMethods: JsonObject;
  readonly metadata: { readonly [key: string]: string };
  readonly reference: string | null;
  readonly splitEvm: readonly Split[];
  readonly idempotencyKey: string | null;
  /** Hash of the request that made it, so that a replay with another body is recognized. */
  readonly requestHash: string | null;
  readonly deletedAt: Date | null;
}

export interface CustomerWallet {
  readonly chainFamily: ChainFamily;
  readonly address: string;
}

export interface CustomerDoc extends Envelope {
  readonly wallets: readonly CustomerWallet[];
  /** `<family>:<address in comparable form>`, unique per merchant and mode; empty once deleted. */
  readonly walletKeys: readonly string[];
  readonly merchantReferenceId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
  readonly deletedAt: Date | null;
}

export interface WalletDoc extends Envelope {
  /** null once the merchant has deleted the row: another row may then be made for the token. */
  readonly tokenKey: string | null;
  readonly chainId: number;
  /** null once staff removed it. */
  readonly receiverWallet: string | null;
  /** Since when it is this address; absent: since the row was made. */
  readonly registeredAt?: Date;
  /** The newest thing that staff did to it; absent: nothing yet. */
  readonly staffEntry?: StaffEntryDoc;
}

/** One webhook event: what was, is and will be delivered. */
export interface EventDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  /** The subscription, one-off payment, customer or wallet that `sequence` counts for. */
  readonly resourceId: string;
  readonly sequence: number;
  readonly event: string;
  readonly createdAt: Date;
  readonly data: JsonObject;
}

/** The claim of an API payment's idempotency key across merchants. `_id` is `<mode>:<key>`. */
export interface PaymentKeyDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly createdAt: Date;
}

export type ShareRole = 'forward' | 'platform' | 'split';

export interface ChargeShare {
  readonly role: ShareRole;
  readonly to: string;
  readonly amount: string;
}

export interface BlockRef {
  readonly number: number;
  readonly hash: string;
}

/**
 * `waiting`: nobody has taken it; where it has a `reason`, nobody will, and it is about to be `refused`. `started`: its payment
 * said that it may be signed. `sent`: it is in a stored transaction. `mined`: that transaction is in a block and charged it.
 * `final`: deep enough. `refused`: it has not been charged by this attempt and cannot be any more. `withdrawn`: its payment took
 * it back before it was started.
 */
export type ChargeState = 'waiting' | 'started' | 'sent' | 'mined' | 'final' | 'refused' | 'withdrawn';

/** What is done with the money at a deposit address. `account` is the key that the address is computed from. */
export interface DepositUse {
  /** `charge`: its payment is paid from it. `refund`: something of it is sent back, in one share. */
  readonly kind: 'charge' | 'refund';
  readonly account: string;
  /**
   * Contract, mint, or `NATIVE_COIN` of a refund, if the asset is not in the catalog or only its balance was seen. `token` is
   * then ''.
   */
  readonly asset?: string;
}

/** One attempt of one on-chain charge. `_id` is that of `chargeIdOf`; the key is what the chain refuses to charge twice. */
export interface ChargeDoc {
  readonly _id: string;
  readonly key: string;
  readonly attempt: number;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  /** The chain it is played on. */
  readonly chainId: number;
  /** A token of the catalog; '' if `deposit.asset` names the asset. */
  readonly token: string;
  readonly from: string;
  readonly gross: string;
  readonly shares: readonly ChargeShare[];
  /** Absent: it is pulled from a payer's wallet. */
  readonly deposit?: DepositUse;
  /** A cycle's charge waits where a one-off's fails when a share cannot be delivered. */
  readonly isCycle: boolean;
  readonly state: ChargeState;
  /** The sender (its address) whose queue has taken it; null: nobody has. */
  readonly lane: string | null;
  /** From `started` on: the id of the transaction that it goes into, fixed before that is signed. */
  readonly transactionId: string | null;
  readonly txHash: string | null;
  readonly block: BlockRef | null;
  /** The reason why this attempt moved nothing. It is stored before the payment is notified. */
  readonly reason: FailureReason | 'reorged' | null;
  /** What staff see beside `reason`: the payer's account has another service's delegate now (Solana). */
  readonly note?: 'delegate_replaced';
  /** How often it has been released: it waits again, out of a transaction that cannot make it. Absent: never. */
  readonly releases?: number;
  /** Real time before which the sender leaves it alone. */
  readonly notBefore: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Why a permit has come to nothing: its deadline passed, its nonce was used for another, or the token does not take it. */
export type PermitFailure = 'expired' | 'nonce_used' | 'not_taken';

/**
 * An EIP-2612 permit, to be submitted once in place of an approval. `_id` is `prm_` and a hash of everything that was signed
 * and of the signature. `waiting`: nobody has taken it. `started`: a signing queue has, for `transactionId`. `sent`: that transaction
 * is stored. `taken`: the token has taken it, from us or from anybody. `failed`: it never will.
 */
export interface PermitDoc {
  readonly _id: string;
  readonly chainId: number;
  readonly token: string;
  readonly wallet: string;
  readonly operator: string;
  /** The operator's merchant. */
  readonly merchantId: string;
  readonly mode: Mode;
  /** Base units, and Unix seconds. */
  readonly value: string;
  readonly deadline: string;
  readonly nonce: string;
  /** 0x-hex of 65 bytes. */
  readonly signature: string;
  /** The token has taken it in no block before this one: the newest when it was handed in, or a later one. */
  readonly block: number;
  readonly state: 'waiting' | 'started' | 'sent' | 'taken' | 'failed';
  readonly reason: PermitFailure | null;
  /** How many of its transactions have reverted. */
  readonly reverts: number;
  readonly lane: string | null;
  readonly transactionId: string | null;
  /** The transaction in which we submitted it; null: none has been mined, or somebody else did. */
  readonly txHash: string | null;
  /** Real time before which the sender leaves it alone. */
  readonly notBefore: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** From then on nobody remembers it; null while it is on its way. */
  readonly purgeAt: Date | null;
}

/** What the blockhash of a Solana transaction says about its end. */
export interface TransactionExpiry {
  /** The height of the last block that can hold it. */
  readonly lastValidBlockHeight: number;
  /** The slot as of which the blockhash was read: it can be in no earlier one. */
  readonly fromSlot: number;
}

export interface SignedVersion {
  readonly hash: string;
  readonly raw: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly at: Date;
  /** EVM: the newest block that was known when it was signed; absent or null: not known. */
  readonly head?: number | null;
}

/**
 * One place in a sender's signing queue (EVM: its nonce; Solana: the next number). It is stored before anything is broadcast.
 * `signed`: on its way. `mined`: one of its versions is in a block. `final`: and deep enough. `finalized`: nobody asks
 * about it any more. `expired`: it can never land, and nobody asks either.
 */
export interface TransactionDoc {
  readonly _id: string;
  readonly chainId: number;
  readonly sender: string;
  readonly nonce: number;
  readonly state: 'signed' | 'mined' | 'final' | 'finalized' | 'expired';
  /** Solana: until when its bytes can land; absent where only the nonce bounds that. */
  readonly expiry?: TransactionExpiry;
  /** Every version signed for this nonce, oldest first; only one of them can ever land. None: it stands in for one that is never stored. */
  readonly versions: readonly SignedVersion[];
  /** How often it has been replaced by another version; absent: never. Who replaces it is the one who raises this. */
  readonly replaced?: number;
  readonly chargeIds: readonly string[];
  /** The permit that it submits, in place of charges. */
  readonly permitId?: string;
  readonly block: BlockRef | null;
  readonly txHash: string | null;
  readonly reverted: boolean;
  /** EVM, in no block: the block as of which another transaction was seen to have its nonce. */
  readonly displaced?: BlockRef | null;
  readonly askAt: Date;
  readonly asked: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A lease for work that only one process at a time may do, such as a sender's signing queue. `_id`: `<chainId>:<work>`. */
export interface LeaseDoc {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/** How far one chain's logs have been read. `_id` is the chain id in digits. */
export interface ChainCursorDoc {
  readonly _id: string;
  readonly block: number;
  readonly updatedAt: Date;
}

/**
 * An interest in what the chain says of the payer of one subscription or checkout session, or of the deposit address of one
 * payment: checked when a log names the
 * wallet, and on a growing interval behind that. `_id` is the id of the subscription, session or payment; of an interest in other terms
 * or in a charge ahead with its name behind it. A standing watch is of one allowance instead, for as long as live subscriptions claim
 * it (`src/billing/allowances/watching.ts`).
 */
export interface WatchDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly chainId: number;
  readonly token: string;
  /** null: of a deposit address, which nobody approves anything from. */
  readonly operator: string | null;
  /** Comparable form (lower case on EVM). */
  readonly wallet: string;
  readonly lookAt: Date | null;
  readonly looks: number;
  /** Of a standing watch: the allowance when it was last compared, in base units. */
  readonly allowance?: string;
  readonly createdAt: Date;
}

/**
 * An allowance that has changed, or a claim on it has. It waits until the chain was asked and all subscriptions that claim it know
 * the answer. `_id` names the change, so a repetition is the same document.
 */
export interface AllowanceChangeDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  /** Of the playing chain, like `token`. */
  readonly chainId: number;
  readonly token: string;
  /** Comparable form (lower case on EVM). */
  readonly wallet: string;
  /** The block (Solana: slot) of the change: an answer as of an earlier one does not count. null: it is no change on the chain. */
  readonly block: number | null;
  readonly lookAt: Date;
  readonly looks: number;
}

/**
 * `open`: nothing has been decided. `charged`: all of it went into the charge. `refunding`: what is left is on its way back.
 * `refunded`: and has arrived. `held`: what is left lies at the deposit address until staff send it.
 */
export type DepositFate = 'open' | 'charged' | 'refunding' | 'refunded' | 'held';

/**
 * Why it is not sent back by itself; `refund_refused`: where it was sent to does not take it, or it is not there. `unread`: no node
 * shows a transaction that can be read and has brought it, so that it counts for nothing yet. `not_in_catalog`: the native coin, or a
 * token that the catalog does not have.
 */
export type HeldWhy = 'no_refund_wallet' | 'below_cost' | 'refund_refused' | 'unread' | 'not_in_catalog';

/** One arrival at a deposit address, deep enough to count. Amounts are base units: `charged` + `refunded` + what is left. */
export interface DepositArrival {
  /** `dep_…`: the same whenever it is read. */
  readonly id: string;
  /** Null: it is seen by the balance of the address alone. It does not count for the payment, and its amount follows the balance. */
  readonly txHash: string | null;
  /** Its place among the logs (Solana: among the instructions) of its transaction. */
  readonly index: number;
  /** Any token of the chain may be sent; only the payment's own counts for it. */
  readonly token: string;
  /** Null: nobody knows. */
  readonly from: string | null;
  /** The sending account signed the transaction itself: what is sent back to it reaches whoever sent it. */
  readonly isOwn: boolean;
  readonly amount: string;
  readonly block: BlockRef;
  readonly charged: string;
  readonly refunded: string;
  readonly fate: DepositFate;
  readonly held: HeldWhy | null;
  /** The refund that is on its way or was made or refused last; `round` counts those made, `attempt` those refused. */
  readonly refund: {
    readonly key: string;
    readonly round: number;
    readonly attempt: number;
    readonly to: string;
    readonly amount: string;
    /** Real time before which it is left alone. */
    readonly notBefore: Date;
    readonly txHash: string | null;
  } | null;
}

/** The deposit address of one payment, and what became of all that has arrived there. `_id` is the payment's id. */
export interface DepositDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly rev: number;
  readonly chainId: number;
  readonly account: string;
  readonly address: string;
  /** The playing token, and how much of it pays for the payment. */
  readonly token: string;
  readonly due: string;
  readonly refundWallet: string | null;
  /** The first block (Solana: slot) that has not been read to the end; null: as of when it was made, which block nobody said. */
  readonly since: number | null;
  /** In the order of the chain. */
  readonly arrivals: readonly DepositArrival[];
  /** Tokens outside of the catalog that somebody sent there; absent: none. Bounded, because anybody can make tokens. */
  readonly others?: readonly string[];
  /** Since when something is held; null: nothing is. */
  readonly heldAt: Date | null;
  /** The newest thing that staff did to it; absent: nothing yet. */
  readonly staffEntry?: StaffEntryDoc;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What the payer authorizes with a link; of a migration, which one: a call that replaces it names another time or price. */
export type AuthorizationPurpose =
  | { readonly kind: 'subscription' }
  | {
      readonly kind: 'migration';
      readonly priceId: string;
      readonly tokenKey: string;
      /** `expiresAt` of the migration, by the subscription's clock. */
      readonly until: string;
    };

/** A link by which a payer authorizes a subscription or migration. `_id` is the SHA-256 of its token, hex. */
export interface AuthorizationDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly subscriptionId: string;
  readonly purpose: AuthorizationPurpose;
  /** The permit that was handed in last; absent: none was. */
  readonly permitId?: string;
  /** The wallet that has signed at this link last; absent: none has. */
  readonly signedBy?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** What a wallet is asked to sign at the checkout: terms of an offer, or what a link stands for. */
export type ChallengePurpose =
  | {
      readonly kind: 'offer';
      readonly offerId: string;
      readonly priceId: string;
      readonly tokenKey: string;
    }
  | {
      readonly kind: 'link';
      /** `_id` of the link. */
      readonly linkId: string;
      /** The price and token of the terms that the text names. */
      readonly priceId: string;
      readonly tokenKey: string;
    };

/** A text to be signed by one wallet, once. `_id` is its nonce. */
export interface CheckoutChallengeDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly purpose: ChallengePurpose;
  readonly wallet: string;
  /** What is signed is exactly this. */
  readonly message: string;
  /** What it has been used for: a session's id, or the hash of the signature with which a link was authorized. */
  readonly usedBy: string | null;
  /** When what it was used for had been done; of links. */
  readonly doneAt: Date | null;
  readonly createdAt: Date;
  /** From then on it cannot be used any more. */
  readonly expiresAt: Date;
  /** From then on nobody remembers it. */
  readonly purgeAt: Date;
}

/**
 * One visit of a payer to the checkout of an offer, from the signature on. `_id` is `ses_` and the SHA-256 of the key that
 * the page has made, hex: only who has the key can find it.
 */
export interface CheckoutSessionDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly rev: number;
  readonly kind: 'subscription' | 'payment';
  readonly offerId: string;
  /** What was signed for: copies of the offer, which a charge never reads. */
  readonly terms: CheckoutTerms;
  /** All three null: of a payment whose money is sent to a deposit address, by whomever. */
  readonly wallet: string | null;
  readonly message: string | null;
  readonly signature: string | null;
  /** What the page has collected beside the terms. */
  readonly collected: CheckoutCollected;
  readonly refundWallet: string | null;
  readonly requestHash: string;
  /** null until the customer has been found or made. */
  readonly customerId: string | null;
  /** Of a subscription: null until there is one. */
  readonly subscriptionId: string | null;
  /** The subscription was there before. */
  readonly isExisting: boolean;
  /** Of a payment: those that it has made, one per attempt, the last one last. */
  readonly paymentIds: readonly string[];
  /** The permit that was handed in last; absent: none was. */
  readonly permitId?: string;
  /** Why no further payment is made; null while one may be. */
  readonly closed: 'settled' | 'failed' | 'expired' | null;
  readonly createdAt: Date;
  /** Until when a payment may be made. */
  readonly expiresAt: Date;
  /** From then on nobody remembers it. */
  readonly purgeAt: Date;
}

export interface CheckoutTerms {
  readonly offerName: string;
  readonly priceId: string;
  readonly tokenKey: string;
  readonly chainId: number;
  /** Base units of the token. */
  readonly amount: string;
  readonly splits: readonly Split[];
  readonly destination: DestinationWallets | null;
  readonly afterCompletion: JsonObject;
}

export interface CheckoutCollected {
  readonly email: string | null;
  readonly phone: string | null;
  readonly name: string | null;
  readonly others: { readonly [key: string]: string | number | boolean };
}

/** What the audit finds that the ledger and the chain do not say alike. */
export type DifferenceKind =
  /** The chain has a charge that no payment of the ledger explains. */
  | 'unknown_charge'
  /** The service's keys have done something that the ledger does not know of. */
  | 'unknown_movement'
  /** A payment is settled, and the document of its charge is not there. */
  | 'charge_missing'
  /** The ledger has a charge that the chain does not have. */
  | 'not_on_chain'
  /** The chain has one key in two transactions. */
  | 'charged_twice'
  /** Charge and chain do not say the same. */
  | 'charge_differs'
  /** Payment and charge do not say the same. */
  | 'payment_differs'
  /** What a deposit says is not what its refunds were, or not what is there. */
  | 'deposit_differs'
  /** Tokens lie where none may stay, or at a deposit address where no deposit explains them. */
  | 'residue';

export interface DifferenceDoc {
  readonly kind: DifferenceKind;
  readonly chainId: number;
  readonly paymentId: string | null;
  readonly chargeKey: string | null;
  readonly txHash: string | null;
  readonly block: number | null;
  /** Of what is left at a merchant's operator, whose that is. */
  readonly operatorOf?: { readonly merchantId: string; readonly mode: Mode };
  /** For people: who says what. */
  readonly what: string;
}

/** Differences of which nothing is kept but where to begin to find them again. */
export interface FurtherDifferences {
  readonly count: number;
  /** The first block that has one. */
  readonly from: number;
}

/** How far one chain has been audited by the recurring job, and what is open. `_id` is the chain id in digits. */
export interface AuditDoc {
  readonly _id: string;
  /** The first block (Solana: slot) of this ledger's time: what was before is not its business. */
  readonly since: number;
  /** The last block that has been audited. */
  readonly block: number;
  /** When the last audit ended; null: none has yet. */
  readonly at: Date | null;
  /** How many differences are open, and the first of them. */
  readonly differences: number;
  readonly open: readonly DifferenceDoc[];
  /** Open ones in other blocks than those; absent in what was written before there was such a field. */
  readonly further?: FurtherDifferences | null;
  /** Deposits are checked in the order of their ids, some at a time: the last one; empty or absent: it begins anew. */
  readonly depositsAfter?: string;
}

/** A charge that the chain has and this ledger did not know: found after a restore. `_id` is its key. */
export interface FoundChargeDoc {
  readonly _id: string;
  readonly chainId: number;
  readonly txHash: string;
  /** The slot that it is in. */
  readonly block: number;
  readonly foundAt: Date;
}

/** Small facts of this installation, such as the staff token's hash. */
export interface SettingDoc {
  readonly _id: string;
  readonly value: string;
}

/** The plain collections and their documents. Actors (`subscriptions`, `payments`, `deliveries`) stand beside them. */
export interface Collections {
  journal: JournalDoc;
  events: EventDoc;
  merchants: MerchantDoc;
  apiKeys: ApiKeyDoc;
  staffJournal: StaffEntryDoc;
  staffTokens: StaffTokenDoc;
  staffSessions: StaffSessionDoc;
  offers: OfferDoc;
  customers: CustomerDoc;
  wallets: WalletDoc;
  paymentKeys: PaymentKeyDoc;
  charges: ChargeDoc;
  transactions: TransactionDoc;
  permits: PermitDoc;
  lanes: LeaseDoc;
  chainCursors: ChainCursorDoc;
  audits: AuditDoc;
  foundCharges: FoundChargeDoc;
  watches: WatchDoc;
  allowanceChanges: AllowanceChangeDoc;
  deposits: DepositDoc;
  authorizations: AuthorizationDoc;
  checkoutChallenges: CheckoutChallengeDoc;
  checkoutSessions: CheckoutSessionDoc;
  settings: SettingDoc;
}
