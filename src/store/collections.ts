import type { DeliveryState } from '../../machines/delivery/context.ts';
import type { FailureReason, LetterKind } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { LetterState, LetterStop } from '../../machines/letter.ts';
import type { ExchangeRate } from '../../machines/payment/context.ts';
import type { Discount } from '../../machines/rules/discount.ts';
import type { Metered, OptionModel } from '../../machines/rules/price-model.ts';
import type {
  ActorDoc,
  ChangingDoc,
  Envelope,
  LogRow,
  Mode,
  OutboxDoc,
  Quarantine,
  StoredDoc,
  Tenant,
  TimerDoc,
} from './documents.ts';

export type ChainFamily = 'evm' | 'solana';

/** What a merchant may let the service spend on in a day, each with a budget (docs/rules.md, "Limits"). */
export type Budget = 'signUpsPerDay' | 'newWalletsPerDay' | 'announcementsPerDay';

/** A budget that staff have set; absent: the default, multiplied by `limitFactor`. */
type SetBudgets = { readonly [B in Budget]?: number };

/** A merchant account, of both environments. */
export interface MerchantDoc extends SetBudgets, ChangingDoc {
  readonly name: string;
  /** The name as searches by its beginning compare it. */
  readonly nameKey: string | null;
  readonly status: 'active' | 'suspended';
  readonly feeBps: number;
  /** Multiplies the default limits (docs/rules.md, "Limits"). */
  readonly limitFactor: number;
  readonly webhook: WebhookSettings;
  /** Absent: it has set none. */
  readonly branding?: Branding;
  /** The origins that may frame the checkout of live offers; absent: none. */
  readonly embedOrigins?: readonly string[];
  /** Whether the checkout asks for codes, by mode: it has made a coupon with one. */
  readonly takesCodes?: { readonly live?: true; readonly test?: true };
  /** Letters to payers; absent: it sends none. */
  readonly letters?: LetterSettings;
  /** The IANA name of the zone of its reports; absent: UTC. */
  readonly timeZone?: string;
  /** What its invoices need; absent: it makes none. */
  readonly invoicing?: Invoicing;
  /** The newest staff action on the account; absent: none. */
  readonly staffEntry?: StaffEntryDoc;
  readonly recentOps?: readonly string[];
}

/** The letters of a merchant to its payers (docs/rules.md, "Letters"). */
export interface LetterSettings {
  /** Whether it sends letters, by mode. */
  readonly live: boolean;
  readonly test: boolean;
  /** Where answers go; null: to the sender of the installation. */
  readonly replyTo: string | null;
  /** Days before a charge of the reminder; null: no reminder. */
  readonly reminderDays: number | null;
  /** Of customers whose own is not known, as a tag; null or absent: that of the service. */
  readonly language?: string | null;
  /** The address of the weekly summary; null or absent: there is none. */
  readonly summaryTo?: string | null;
  /** When the next one is due; null or absent: never. */
  readonly summaryAt?: Date | null;
}

/** How a merchant makes invoices (docs/rules.md, "Invoices"). Its name and address are those of its receipts. */
export interface Invoicing {
  /** Payments that settle from then on have invoices. */
  readonly since: Date;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly taxId: string | null;
  /** In which the value of a payment is stated. */
  readonly currency: string;
  /** Lines include the tax; false: they are net, and the tax follows them. Both add up to the paid amount. */
  readonly isTaxIncluded: boolean;
  /** In percent, and by the country of the customer where that differs. */
  readonly taxRate: string;
  readonly taxRates: { readonly [country: string]: string };
}

/** What payers see of a merchant beside its name. */
export interface Branding {
  readonly logo: LogoFacts | null;
  /** `#rrggbb` in lower case; null: the colour of the service. */
  readonly accentColor: string | null;
  /** Who sells, on receipts; null or absent: the merchant's name alone. */
  readonly legalName?: string | null;
  /** In several lines; null or absent: none. */
  readonly legalAddress?: string | null;
}

/** A logo without its bytes, which requests for a page's data do not read. */
export interface LogoFacts {
  /** Of its document in `logos`. */
  readonly id: string;
  readonly type: LogoType;
  /** Length of the file. */
  readonly bytes: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** The file of a merchant's logo. It never changes: another logo is another document. */
export interface LogoDoc extends StoredDoc {
  readonly merchantId: string;
  readonly type: LogoType;
  readonly base64: string;
}

/** The actions of staff on a merchant, and those of its own people. `call.made`: a change through the merchant API. */
export type StaffAction =
  | 'merchant.suspended'
  | 'merchant.reinstated'
  | 'merchant.changed'
  | 'branding.changed'
  | 'embed_origins.changed'
  | 'letters.changed'
  | 'invoicing.changed'
  | 'call.made'
  | 'key.issued'
  | 'key.revoked'
  | 'wallet.set'
  | 'wallet.removed'
  | 'delivery.redelivered'
  | 'deposit.sent'
  | 'actor.released'
  | 'actor.restored'
  | 'refund.acknowledged'
  | 'member.invited'
  | 'member.changed'
  | 'member.removed'
  | 'passkey.added'
  | 'passkey.removed';

/**
 * One action of staff. The write that makes the change stores it in the changed document, because one document is the
 * unit of atomicity. It is copied to its collection before anybody learns of the change.
 */
export interface StaffEntryDoc {
  readonly _id: string;
  readonly merchantId: string;
  readonly at: Date;
  /** `staff`, `staff:NAME`, or `member:NAME` for a person of the merchant. */
  readonly by: string;
  /** The network address of a person of the merchant; absent: not noted. */
  readonly from?: string;
  readonly reason: string;
  readonly action: StaffAction;
  /** The subject of the action, and values before and after. */
  readonly details: JsonObject;
}

/**
 * `read` sees everything. `act` also sends the events that the API sends. `admin` also administers merchants: keys,
 * wallets, fees, limits and suspension.
 */
export type StaffRole = 'read' | 'act' | 'admin';

/** The token of one member of the staff. `_id` is its SHA-256, hex. */
export interface StaffTokenDoc extends StoredDoc {
  readonly name: string;
  /** The name while the token is valid; only one valid token has a name. null: revoked. */
  readonly inForce: string | null;
  readonly role: StaffRole;
  /** The last four characters, for people. */
  readonly hint: string;
  readonly revokedAt: Date | null;
}

/** A browser that has shown a staff token. `_id` is the SHA-256 of its cookie's value, hex. */
export interface StaffSessionDoc extends StoredDoc {
  /** SHA-256 of the token, hex. A session is valid as long as its token is. */
  readonly tokenId: string;
  /** The member of the staff, as the journal names them. */
  readonly by: string;
  readonly expiresAt: Date;
}

/** A signing secret, and the one before it while a rotation overlaps; each is encrypted. */
export interface SigningSecrets {
  readonly secret: string | null;
  readonly secretRotatedAt: Date | null;
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Date | null;
}

/** The secrets here sign the events of both modes. */
export interface WebhookSettings extends SigningSecrets {
  readonly liveUrl: string;
  readonly testUrl: string;
  /** Those that sign the events of one mode only. Absent: never made. */
  readonly modeSecrets?: { readonly [M in Mode]?: SigningSecrets };
  readonly extraEvents: { readonly live: boolean; readonly test: boolean };
}

/** An API key: `_id` is the SHA-256 of the key, hex. */
export interface ApiKeyDoc extends Tenant, StoredDoc {
  /** The last four characters, for people. */
  readonly hint: string;
  /** The first use on the last day (UTC) on which it was used; absent: never. */
  readonly lastUsedAt?: Date;
  readonly revokedAt: Date | null;
  /** The newest staff action on the key; absent: none. */
  readonly staffEntry?: StaffEntryDoc;
  readonly recentOps?: readonly string[];
}

export interface Split {
  readonly address: string;
  /** Decimal string, at most two decimals. */
  readonly percentage: string;
}

export interface AcceptedToken {
  readonly tokenKey: string;
  readonly chainId: number;
  /** Base units of that token, decimal digits; frozen at creation. */
  readonly amountBaseUnits: string;
  /** The unit prices and the cap of a metered price; absent: it is not metered. */
  readonly metered?: Omit<Metered, 'kind' | 'aboveCap'>;
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
  /** How its amount varies; absent: it is fixed. */
  readonly model?: OptionModel;
  readonly merchantDestinationWallet: DestinationWallets | null;
  readonly active: boolean;
}

/** What customers may change to without the merchant. */
export interface PlanChanges {
  /** null: every active recurring option. */
  readonly priceIds: readonly string[] | null;
  /** When a change to more money begins. One to less begins at the end of the period. */
  readonly when: 'now' | 'period_end';
  /** Whether a change now credits unused time. */
  readonly proration: 'credit' | 'none';
}

/** What an offer says about pauses. */
export interface PauseRules {
  /** Customers may pause in the portal, too. */
  readonly byCustomer: boolean;
  /** What a pause does to the end of the paid period. */
  readonly periodEnd: 'moves' | 'keeps';
}

export interface OfferDoc extends Envelope {
  readonly name: string;
  /** The name as searches by its beginning compare it. */
  readonly nameKey: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly identifier: string | null;
  readonly productRef: string | null;
  readonly pricing: readonly PricingOption[];
  readonly active: boolean;
  readonly availableQuantity: number | null;
  readonly redeemedCount: number;
  /** The reservations: ids of payments, and of attempts at first charges of subscriptions. */
  readonly holds: readonly string[];
  /**
   * Holders whose charge landed after their reservation had been released: each redeemed a unit all the same. Only the
   * newest are kept.
   */
  readonly redeemedLate?: readonly string[];
  readonly expiresAt: Date | null;
  readonly afterCompletion: JsonObject;
  readonly features: readonly JsonObject[];
  readonly collectFields: JsonObject;
  readonly allowedPaymentMethods: JsonObject;
  readonly metadata: { readonly [key: string]: string };
  readonly reference: string | null;
  readonly splitEvm: readonly Split[];
  /** Absent or null: customers change nothing. */
  readonly planChanges?: PlanChanges | null;
  /** Absent or null: only the merchant pauses, and the end of the period moves. */
  readonly pause?: PauseRules | null;
  readonly idempotencyKey: string | null;
  /** Hash of the request that made it; shows that a replay has another body. */
  readonly requestHash: string | null;
  readonly deletedAt: Date | null;
}

/** What lowers the charges of subscriptions. */
export interface CouponDoc extends Tenant, ChangingDoc {
  readonly rev: number;
  /** As payers type it, in upper case; null: only the merchant gives it. */
  readonly code: string | null;
  /** A decimal; null: `amountOff`. */
  readonly percentOff: string | null;
  /** In units of every token with this ticker; null: `percentOff`. */
  readonly amountOff: string | null;
  readonly ticker: string | null;
  /** How many charges of a subscription it lowers; null: all. */
  readonly cycles: number | null;
  readonly expiresAt: Date | null;
  readonly maxRedemptions: number | null;
  /** null: all offers. */
  readonly offerIds: readonly string[] | null;
  readonly firstTimeOnly: boolean;
  readonly active: boolean;
  /** The redemptions that were not given back. */
  readonly redemptions: number;
  /** The last one of these, until it is stored as a row; null: it is. */
  readonly moving: RedemptionDoc | null;
  /** Absent in older ones, as the hash of its request: it has none. */
  readonly idempotencyKey?: string | null;
  readonly requestHash?: string | null;
}

/** A coupon's redemption. `_id` is `<coupon>:<subscription>`. */
export interface RedemptionDoc extends Tenant, StoredDoc {
  /** The coupon's revision that counted it, or gave it back. */
  readonly rev: number;
  readonly couponId: string;
  /** null: the session of a checkout holds it, for one payment. */
  readonly subscriptionId: string | null;
  /** That payment, once it has settled. */
  readonly paymentId?: string;
  readonly customerId: string;
  /** When it is checked that the subscription has the discount; null: it has. */
  readonly checkAt: Date | null;
  /** When it was given back; null: it counts. */
  readonly releasedAt: Date | null;
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
  /** For invoices; null or absent: unknown. `country`: ISO 3166-1, two letters. */
  readonly address?: string | null;
  readonly country?: string | null;
  readonly taxId?: string | null;
  /** The language of the page on which it last signed; absent: none is known. */
  readonly language?: string;
  /** The IANA name of its zone: of the browser in which it last signed, or of the API; else null or absent. */
  readonly timeZone?: string | null;
  /** Name, email and reference as searches by their beginning compare them; null where there is none. */
  readonly nameKey: string | null;
  readonly emailKey: string | null;
  readonly referenceKey: string | null;
  readonly idempotencyKey: string | null;
  readonly requestHash: string | null;
  readonly deletedAt: Date | null;
}

export interface WalletDoc extends Envelope {
  /** null: the merchant has deleted the row, and may make another one for the token. */
  readonly tokenKey: string | null;
  readonly chainId: number;
  /** null: staff have removed it. */
  readonly receiverWallet: string | null;
  /** When this address was registered; absent: when the row was made. */
  readonly registeredAt?: Date;
  /** The last addresses before it, the newest first. Absent: none. */
  readonly former?: readonly FormerWallet[];
  /** The newest staff action on the wallet; absent: none. */
  readonly staffEntry?: StaffEntryDoc;
}

/** A payout address that another one has replaced. */
export interface FormerWallet {
  readonly address: string;
  readonly until: Date;
}

/** The part of a webhook event that never changes. */
export interface EventFacts extends Tenant, StoredDoc {
  /** The subscription, one-off payment, customer or wallet that `sequence` counts for. */
  readonly resourceId: string;
  readonly sequence: number;
  readonly event: string;
  readonly data: JsonObject;
}

/** One webhook event and its delivery. It is kept after delivery. */
export interface EventDoc extends EventFacts, ChangingDoc, Omit<DeliveryState, 'wakeAt'> {
  readonly wakeAt: Date | null;
  /** Grows by one with every change of the delivery. */
  readonly rev: number;
  readonly partition: number;
  /** Set when the delivery is not sound enough to be changed (docs/rules.md, "Staff"). */
  readonly quarantine: Quarantine | null;
}

/**
 * One letter to a payer, which exists once for its effect, or to a merchant, once for its week. It goes to the address
 * that its customer has when it is sent, so the letters of a deleted customer have none.
 */
export interface LetterDoc extends Tenant, Omit<LetterState, 'wakeAt'>, ChangingDoc {
  readonly letter: LetterKind | 'weekly_summary';
  /** null: it goes to the merchant. */
  readonly customerId: string | null;
  /** The subscription or the one-off payment, or the merchant. */
  readonly resourceId: string;
  /** null: it is about no payment. */
  readonly paymentId: string | null;
  /** Of the event; of a weekly summary its Monday. */
  readonly data: JsonObject;
  readonly wakeAt: Date | null;
  /** Grows by one with every change. */
  readonly rev: number;
}

/** An address that gets no letters, by its hash (`src/billing/letters/suppressions.ts`). */
export interface SuppressionDoc extends StoredDoc {
  readonly stop: Extract<LetterStop, 'bounced' | 'merchant' | 'unsubscribed'>;
  /** Who has asked for it, and why. */
  readonly by: string;
  readonly reason: string;
}

/** A cycle's payment whose charge is on its way, as lists find it (`src/store/actors/open-payments.ts`). */
export interface OpenPaymentDoc extends Tenant, StoredDoc {
  readonly attributes: JsonObject;
  readonly context: JsonObject;
}

/**
 * An idempotency key, and the subscription or payment that it creates. Merchants share the keys of payments, so `_id`
 * has the merchant only in a key of a subscription.
 */
interface IdempotencyKeyDoc extends StoredDoc {
  readonly merchantId: string;
  readonly actorId: string;
  /** Of a change of an actor: the hash of the request. Absent: the actor has it. */
  readonly requestHash?: string;
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
 * `waiting`: no sender has it; with a `reason`, none will take it and it is about to be `refused`. `started`: its
 * payment has allowed to sign it. `sent`: a stored transaction contains it. `mined`: that transaction is in a block and
 * charged it. `final`: that block is deep enough. `refused`: this attempt has not charged it and never will.
 * `withdrawn`: its payment took it back before it was started.
 */
export type ChargeState = 'waiting' | 'started' | 'sent' | 'mined' | 'final' | 'refused' | 'withdrawn';

/** Why money leaves a deposit address. `account` is the key from which the address is computed. */
interface DepositUse {
  /** `charge`: the address pays its payment. `refund`: the address sends money back, in one share. */
  readonly kind: 'charge' | 'refund';
  readonly account: string;
  /**
   * The contract, mint or `NATIVE_COIN` of a refund, if the catalog does not have it or if only its balance was seen.
   * `token` is then ''.
   */
  readonly asset?: string;
}

/**
 * Which operator of a merchant pulls: the open one, or the one that pulls under mandates only (docs/rules.md,
 * "Operators, consent, allowances").
 */
export interface OperatorConsent {
  readonly isBounded: boolean;
  /**
   * EVM: the router of the operator. Null: the payer consented before the chain had a router, and cycles use the oldest
   * one. Always null on Solana.
   */
  readonly router: string | null;
}

/** The mandate of a charge, and the number of the charge within the mandate's agreement, from 1. */
export interface MandateUse {
  /** The id of the `MandateDoc`. */
  readonly id: string;
  readonly cycle: number;
}

/**
 * What a payer has signed for one subscription or payment: the limits of every charge (docs/rules.md, "Operators,
 * consent, allowances"). `_id` on EVM is the EIP-712 hash. Addresses are spelled as the chain family spells them.
 */
export interface SignedMandate extends Tenant, StoredDoc {
  /** The playing chain. */
  readonly chainId: number;
  /** The router that checks it; null on Solana, where the service does. */
  readonly router: string | null;
  readonly payer: string;
  readonly token: string;
  /** The highest amount of one charge, in base units of the playing token. */
  readonly perCharge: string;
  /** The most charges in all; 0: until the payer revokes it. */
  readonly charges: number;
  /** Seconds from one charge to the next; 0: no rhythm, or one of months. */
  readonly interval: number;
  /** Calendar months (UTC) from one charge to the next; 0: no rhythm, or one of seconds. */
  readonly months: number;
  /** Unix seconds. The rhythm is counted from `start`. `end` 0: none. */
  readonly start: number;
  readonly end: number;
  /** Of the mandates of one agreement, the one with the latest moment counts. Unix seconds. */
  readonly issuedAt: number;
  /** Who gets the platform's fee, at most `feeBps` of a charge. */
  readonly platform: string;
  readonly feeBps: number;
  /** The other recipients; the payout destination at the moment of signing comes first. */
  readonly payees: readonly string[];
  /** 32 random bytes in hex. All mandates of one subscription have the same, unless the payer has revoked it. */
  readonly agreement: string;
  /** The hash of the text that the payer was shown, in hex. */
  readonly terms: string;
  /** The most of all charges in any 30 days, in base units; absent: no such limit. */
  readonly per30Days?: string;
  /** EVM: 0x-hex, over the typed data. Solana: base58, over `message`. */
  readonly signature: string;
  /** EVM: a contract has signed (EIP-1271), and the router asks it at the first charge. Absent: a key has. */
  readonly signedByContract?: true;
  /** The text that the payer was shown. */
  readonly message: string;
}

/** A signed mandate, and whether it is over. */
export interface MandateDoc extends SignedMandate {
  /** When the service learned that the payer has revoked the agreement; absent or null: it is not revoked. */
  readonly revokedAt?: Date | null;
  /** When the service learned that no charge is left; absent: some may be. */
  readonly usedUpAt?: Date;
}

/**
 * A recipient of a merchant that charges under mandates can pay although their mandates do not name it (docs/rules.md,
 * "Wallets"). `_id` comes from `announcementId`. `waiting`: it is about to be announced. `withdrawn`: the owner or the
 * guardian of the router has withdrawn it, for good.
 */
export interface AnnouncementDoc extends Tenant, ChangingDoc {
  /** The playing chain. */
  readonly chainId: number;
  /** The router that has it; null on Solana. */
  readonly router: string | null;
  /** As the chain family spells it. */
  readonly payee: string;
  readonly state: 'waiting' | 'announced' | 'withdrawn';
  /** When charges begin to pay it; while it is waiting, the expected moment. */
  readonly from: Date;
  /** When the router forgets it, unless a charge uses it before. Null: never, or it is not announced. */
  readonly until: Date | null;
  /** Solana: the transaction that announces it, once the chain shows it. */
  readonly transaction?: string;
  /** Real time before which no sender announces it, or asks the router for it again. */
  readonly notBefore: Date;
}

/** Why a router refused a charge: the kind of its error, and a sentence with the values of the error. */
export interface ChargeRefusal {
  readonly kind: string;
  readonly text: string;
}

/** What a sender puts into a transaction. */
interface Sendable extends Tenant, ChangingDoc {
  /** The playing chain. */
  readonly chainId: number;
  /** The address of the sender whose queue has it; null: none has. */
  readonly lane: string | null;
  /** From `started` on: the id of its transaction, fixed before that is signed. */
  readonly transactionId: string | null;
  /** Real time before which the sender does not take it. */
  readonly notBefore: Date;
}

/** One attempt of one on-chain charge. `_id` comes from `chargeIdOf`. The chain refuses to charge `key` twice. */
export interface ChargeDoc extends Sendable {
  readonly key: string;
  readonly attempt: number;
  readonly paymentId: string;
  /** A token of the catalog; '' if `deposit.asset` names the asset. */
  readonly token: string;
  readonly from: string;
  readonly gross: string;
  readonly shares: readonly ChargeShare[];
  /** Absent: the charge pulls from a payer's wallet. */
  readonly deposit?: DepositUse;
  /** EVM: the router that makes it. Absent on Solana. */
  readonly router?: string;
  /** Absent: it pulls what the payer has allowed the open operator. */
  readonly mandate?: MandateUse;
  /** When a share cannot be delivered, a cycle's charge waits and a one-off's fails. */
  readonly isCycle: boolean;
  readonly state: ChargeState;
  readonly txHash: string | null;
  readonly block: BlockRef | null;
  /** Why this attempt moved nothing. It is stored before the payment is notified. */
  readonly reason: FailureReason | 'reorged' | null;
  /** A hint for staff beside `reason`: the payer's account has another delegate now (Solana). */
  readonly note?: 'delegate_replaced';
  /** For staff: the refusal of the router, or on Solana of the signing queue. Absent: another check refused it. */
  readonly refusal?: ChargeRefusal;
  /** How often it went back to `waiting` because its transaction could not make it. Absent: never. */
  readonly releases?: number;
  /** Solana: how many of these transactions ran out of compute units. Absent: none has. */
  readonly outOfUnits?: number;
  /** The most charges in its next transaction, because one with more reverted as a whole. Absent: none has. */
  readonly batchMax?: number;
}

/** Why a permit failed: its deadline passed, another permit used its nonce, or the token does not accept it. */
export type PermitFailure = 'expired' | 'nonce_used' | 'not_taken';

/**
 * An EIP-2612 permit, submitted once in place of an approval. `_id` is `prm_` and a hash of all signed values and the
 * signature. `waiting`: no signing queue has it. `started`: one has, for `transactionId`. `sent`: that transaction is
 * stored. `taken`: the token has accepted it, from the service or from anybody. `failed`: the token never will.
 */
export interface PermitDoc extends Sendable {
  readonly token: string;
  readonly wallet: string;
  readonly operator: string;
  readonly router: string;
  /** Absent: it allows the open operator. */
  readonly isBounded?: true;
  /** Base units, and Unix seconds. */
  readonly value: string;
  readonly deadline: string;
  readonly nonce: string;
  /** 0x-hex of 65 bytes. */
  readonly signature: string;
  /** No block before this one has used it: the newest block when it was handed in, or a later one. */
  readonly block: number;
  readonly state: 'waiting' | 'started' | 'sent' | 'taken' | 'failed';
  readonly reason: PermitFailure | null;
  /** How many of its transactions reverted. */
  readonly reverts: number;
  /** The service's transaction that submitted it; null: none is mined, or somebody else submitted it. */
  readonly txHash: string | null;
  /** When it is deleted; null while it is on its way. */
  readonly purgeAt: Date | null;
}

/** When the blockhash of a Solana transaction expires. */
interface TransactionExpiry {
  /** The height of the last block that can contain it. */
  readonly lastValidBlockHeight: number;
  /** The blockhash was read at this slot, so no earlier slot can contain the transaction. */
  readonly fromSlot: number;
}

export interface SignedVersion {
  readonly hash: string;
  /** The signed bytes. Empty: the transaction is finalized, or was signed elsewhere. */
  readonly raw: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
  readonly at: Date;
  /** EVM: the newest known block at the time of signing; absent or null: unknown. */
  readonly head?: number | null;
}

/**
 * One position in a sender's signing queue (EVM: its nonce; Solana: the next number). It is stored before anything is
 * broadcast. `signed`: on its way. `mined`: a block contains one of its versions. `final`: that block is deep enough.
 * `finalized`: checked for the last time. `expired`: it can never land, and is not checked any more.
 */
export interface TransactionDoc extends ChangingDoc {
  readonly chainId: number;
  readonly sender: string;
  readonly nonce: number;
  readonly state: 'signed' | 'mined' | 'final' | 'finalized' | 'expired';
  /** Solana: until when it can land; absent where only the nonce decides that. */
  readonly expiry?: TransactionExpiry;
  /**
   * Every version signed for this nonce, oldest first; only one can ever land. Empty: a placeholder for one that is
   * never stored.
   */
  readonly versions: readonly SignedVersion[];
  /** How often another version replaced it; absent: never. The process that raises it makes the replacement. */
  readonly replaced?: number;
  readonly chargeIds: readonly string[];
  /** The permit that it submits in place of charges. */
  readonly permitId?: string;
  readonly block: BlockRef | null;
  readonly txHash: string | null;
  readonly reverted: boolean;
  /** EVM, while no block contains the transaction: another transaction has its nonce in this block or before it. */
  readonly displaced?: BlockRef | null;
  readonly askAt: Date;
  readonly asked: number;
}

/**
 * A lease for work of one process at a time: `_id` is `<chainId>:<work>`, as of a signing queue, or
 * `due:<kind>:<group of partitions>`. The document `workers` says who shares the leases (`src/store/workers.ts`).
 */
export interface LeaseDoc {
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
  /** Only of the document `workers`: the sign of each worker by its name (null: it has stopped), and how many came. */
  readonly workers?: { readonly [holder: string]: WorkerSign | null };
  readonly beats?: number;
}

/** What a worker tells the others. */
export interface WorkerSign {
  /** Grows with each sign. */
  readonly beat: number;
  /** The leases whose work it can do. */
  readonly serves: readonly string[];
  /** Kinds of work that are too much for it alone. */
  readonly calls: readonly string[];
}

/** The last block of one chain whose logs have been read. `_id` is the chain id in digits. */
interface ChainCursorDoc {
  readonly _id: string;
  readonly block: number;
  readonly updatedAt: Date;
}

/**
 * An interest in readings of the chain: about the payer of one subscription or checkout session, or about the deposit
 * address of one payment. The chain is checked when a log names the wallet, and otherwise at growing intervals. `_id`
 * is the id of the subscription, session or payment; for other terms, or for a check ahead of a charge, followed by the
 * interest's name. A lasting watch is about one allowance instead, as long as live subscriptions claim it
 * (`src/billing/allowances/watching.ts`).
 */
export interface WatchDoc extends Tenant {
  readonly _id: string;
  /** That of the wallet: one worker reads all due watches of a wallet. */
  readonly partition: number;
  readonly chainId: number;
  readonly token: string;
  /** null: a deposit address, which has no operator. */
  readonly operator: string | null;
  /** Of a lasting watch: which operator of the merchant. Absent: the open one. */
  readonly consent?: OperatorConsent;
  /** Comparable form (lower case on EVM). */
  readonly wallet: string;
  readonly lookAt: Date | null;
  readonly looks: number;
  /** Of a session: when it ends if nothing is paid, which a check notes at once. */
  readonly endsAt?: Date;
  /** Of a payment's refunds: the first block that is not read for good; null: unknown. */
  readonly since?: number | null;
  /** Of a payment's refunds, by their ids: what a wallet has sent, as the merchant says. The chain decides. */
  readonly sent?: { readonly [refundId: string]: SentByWallet };
  /** Of a lasting watch: the allowance, in base units, that its subscriptions were told last. */
  readonly allowance?: string;
  /** When it was made or renewed: processes that have it already read it again. */
  readonly createdAt: Date;
}

interface SentByWallet {
  /** Null: the wallet has not named it. */
  readonly txHash: string | null;
  readonly at: Date;
}

/**
 * Changes that were reported together. They stay until the chain has been read and all subscriptions that claim the
 * allowances know the result.
 */
export interface AllowanceChangesDoc {
  readonly _id: string;
  /** That of the first wallet: one worker reads all changes of a payer that were reported alone. */
  readonly partition: number;
  readonly changes: readonly ChangedAllowance[];
  readonly lookAt: Date;
  readonly looks: number;
}

export interface ChangedAllowance extends Tenant {
  /** Which operator of the merchant. */
  readonly consent: OperatorConsent;
  /** The playing chain, as `token` is the playing token. */
  readonly chainId: number;
  readonly token: string;
  /** Comparable form (lower case on EVM). */
  readonly wallet: string;
  /**
   * The block (Solana: slot) of the change; a reading as of an earlier one does not count. null: the change is not on
   * the chain.
   */
  readonly block: number | null;
  /** A charge took it, so the payer has not revoked it. */
  readonly isCharged?: true;
  /** The payer has taken it back, or (with a mandate) ended that agreement. Absent: no log says so. */
  readonly revoked?: { readonly mandateId: string | null };
}

/**
 * `open`: undecided. `charged`: the charge took everything. `refunding`: the rest is on its way back. `refunded`: the
 * rest has arrived. `held`: the rest stays at the deposit address until staff send it.
 */
export type DepositFate = 'open' | 'charged' | 'refunding' | 'refunded' | 'held';

/**
 * Why the service does not send it back by itself. `refund_refused`: the receiver does not accept it, or the money is
 * not there. `unread`: no node shows a readable transaction that brought it, so it does not count yet.
 * `not_in_catalog`: the native coin, or a token outside of the catalog.
 */
export type HeldWhy = 'no_refund_wallet' | 'below_cost' | 'refund_refused' | 'unread' | 'not_in_catalog';

/** An arrival at a deposit address, deep enough to count. Base units: `charged` + `refunded` + the rest. */
export interface DepositArrival {
  /** `dep_…`: the same at every reading. */
  readonly id: string;
  /**
   * null: only the balance of the address shows it. It does not count for the payment, and its amount follows the
   * balance.
   */
  readonly txHash: string | null;
  /** Its index among the logs (Solana: among the instructions) of its transaction. */
  readonly index: number;
  /** Any token of the chain may arrive; only the payment's own counts. */
  readonly token: string;
  /** Shown to staff. An exchange sends from an account that is not its customer's. null: unknown. */
  readonly from: string | null;
  readonly amount: string;
  readonly block: BlockRef;
  readonly charged: string;
  readonly refunded: string;
  readonly fate: DepositFate;
  readonly held: HeldWhy | null;
  /** The refund on its way, or the last made or refused one. `round` counts the made, `attempt` the refused ones. */
  readonly refund: {
    readonly key: string;
    readonly round: number;
    readonly attempt: number;
    readonly to: string;
    readonly amount: string;
    /** Real time before which nothing is done. */
    readonly notBefore: Date;
    readonly txHash: string | null;
  } | null;
}

/** The deposit address of one payment and all its arrivals. `_id` is the payment's id. */
export interface DepositDoc extends Tenant, ChangingDoc {
  readonly rev: number;
  readonly chainId: number;
  readonly account: string;
  readonly address: string;
  /** EVM: the router of the address. Absent on Solana. */
  readonly router?: string;
  /** The playing token, and the amount that pays the payment. */
  readonly token: string;
  readonly due: string;
  /** The secret of the keys of its refunds, on Solana; absent on EVM. */
  readonly chargeSecret?: string;
  readonly refundWallet: string | null;
  /** The first block (Solana: slot) that is not completely read; null: the one at its creation, which no node named. */
  readonly since: number | null;
  /** In chain order. */
  readonly arrivals: readonly DepositArrival[];
  /** Tokens outside of the catalog that have arrived; absent: none. Limited, because anybody can make tokens. */
  readonly others?: readonly string[];
  /** Since when something is held; null: nothing is. */
  readonly heldAt: Date | null;
  /** The newest staff action on it; absent: none. */
  readonly staffEntry?: StaffEntryDoc;
}

/** The purpose of a link. A call that replaces a migration names another time or price. */
export type AuthorizationPurpose =
  | { readonly kind: 'subscription' }
  | {
      readonly kind: 'migration';
      readonly priceId: string;
      readonly tokenKey: string;
      /** `expiresAt` of the migration, by the subscription's clock. */
      readonly until: string;
    };

/** A link at which a payer authorizes a subscription or migration. `_id` is the SHA-256 of its token, hex. */
export interface AuthorizationDoc extends Tenant, StoredDoc {
  readonly subscriptionId: string;
  readonly purpose: AuthorizationPurpose;
  /** The last permit that was handed in; absent: none. */
  readonly permitId?: string;
  /** The last wallet that signed at this link; absent: none. */
  readonly signedBy?: string;
  /** Until when a wallet may sign that is not the payer: the payer or the merchant has confirmed. Absent: never. */
  readonly newPayerUntil?: Date;
  readonly expiresAt: Date;
}

/** The content of a signature at the checkout: terms of an offer, or the purpose of a link. */
export type ChallengePurpose =
  | {
      readonly kind: 'offer';
      readonly offerId: string;
      readonly priceId: string;
      readonly tokenKey: string;
      /** Absent: the price is fixed. */
      readonly quantity?: number;
      /** Absent: the full price. */
      readonly couponId?: string;
    }
  | {
      readonly kind: 'link';
      /** `_id` of the link. */
      readonly linkId: string;
      /** The price and token of the signed terms. */
      readonly priceId: string;
      readonly tokenKey: string;
      /** Base units of one charge; absent: the price is fixed. */
      readonly amount?: string;
    };

/** Units that a merchant has counted, of one idempotency key. */
export interface UsageRecord {
  readonly key: string;
  readonly quantity: number;
  /** When it was used, by the subscription's clock: ISO 8601. */
  readonly at: string;
}

/**
 * Usage records of one subscription that were stored together: the row is the commit. `_id` is
 * `<subscription>:<sequence>`, so of two writers that saw one total only one stores its row. A key is in one row.
 */
export interface UsageDoc extends StoredDoc {
  readonly subscriptionId: string;
  /** 1, 2, … without gaps. */
  readonly sequence: number;
  readonly records: readonly UsageRecord[];
  /** All units of the subscription up to this row. */
  readonly total: number;
}

/** Who sells or buys, as it was when the invoice was issued. */
export interface InvoiceParty {
  readonly name: string;
  readonly address: string | null;
  readonly country: string | null;
  readonly taxId: string | null;
}

/** `net` and `tax` are base units; negative: what makes the amount less. */
export interface InvoiceLine {
  readonly kind: 'sale' | 'credit' | 'discount' | 'refund' | 'reversal';
  /** The offer or the coupon; null: none. */
  readonly name: string | null;
  /** The units that were sold or used; null: it is not by units. */
  readonly quantity: number | null;
  readonly net: string;
  readonly tax: string;
}

/**
 * An invoice or a credit note. It never changes. `_id` is `<merchant>:<mode>:<year>:<number>`, so of two writers that
 * saw one last number only one stores its own, and numbers have no gaps (docs/adr/store.md).
 */
export interface InvoiceDoc extends Tenant, StoredDoc {
  /** The merchant's, when it was issued. */
  readonly year: string;
  /** 1, 2, … without gaps in a year. */
  readonly number: number;
  /** What it is about: unique, so that nothing has two. */
  readonly subject: string;
  readonly paymentId: string;
  /** Of a credit note: the number of its invoice. null: it is an invoice. */
  readonly corrects: string | null;
  /** The merchant's, when it was issued; absent in older ones. */
  readonly timeZone?: string;
  /** The days of issue and of the charge or refund, in that zone. */
  readonly date: string;
  readonly movedOn: string;
  readonly seller: InvoiceParty;
  readonly customer: InvoiceParty;
  /** Of the customer then; null: unknown. */
  readonly language: string | null;
  readonly period: { readonly from: string; readonly to: string } | null;
  readonly lines: readonly InvoiceLine[];
  readonly tokenKey: string;
  readonly taxRate: string;
  readonly isTaxIncluded: boolean;
  /** Base units; `net` and `tax` are the sums of the lines, and add up to `total`: the paid or refunded amount. */
  readonly net: string;
  readonly tax: string;
  readonly total: string;
  /** What a token was worth when the charge was final; null: nobody gave a rate. */
  readonly rate: ExchangeRate | null;
  readonly transaction: string | null;
}

/** A text for one wallet to sign, once. `_id` is its nonce. */
export interface CheckoutChallengeDoc extends Tenant, StoredDoc {
  readonly purpose: ChallengePurpose;
  readonly wallet: string;
  /** Exactly the text that the wallet is shown. */
  readonly message: string;
  readonly mandate: Omit<MandateDoc, '_id' | 'signature' | 'message' | 'createdAt'>;
  /** The mandates that its subscription had then. */
  readonly replaces: readonly string[];
  /** The id of the session, or the hash of the signature that authorized a link. null: unused. */
  readonly usedBy: string | null;
  /** Of links: when the authorization was complete. */
  readonly doneAt: Date | null;
  /** The text cannot be used after this time. */
  readonly expiresAt: Date;
  readonly purgeAt: Date;
}

/**
 * One visit of a payer to the checkout of an offer, from the signature on. `_id` is `ses_` and the SHA-256 of a key
 * that the page made, hex: only the owner of the key can find it.
 */
export interface CheckoutSessionDoc extends Tenant, StoredDoc {
  readonly rev: number;
  readonly kind: 'subscription' | 'payment';
  readonly offerId: string;
  /** The signed terms: copies of the offer, which a charge never reads. */
  readonly terms: CheckoutTerms;
  /** All three are null for a payment through a deposit address, because anybody may pay it. */
  readonly wallet: string | null;
  readonly message: string | null;
  readonly signature: string | null;
  /** What the wallet has signed; absent: nothing. */
  readonly consent?: { readonly mandateId: string | null; readonly router: string | null };
  /** The mandates that its subscription had when the text was issued; absent: as `consent`. */
  readonly replaces?: readonly string[];
  /** Input of the page beside the terms. */
  readonly collected: CheckoutCollected;
  /** Of the page; absent: it named none. */
  readonly language?: string;
  /** The same of the browser's time zone. */
  readonly timeZone?: string;
  readonly refundWallet: string | null;
  readonly requestHash: string;
  /** null until the customer is found or made. */
  readonly customerId: string | null;
  /** The subscription, once it exists. */
  readonly subscriptionId: string | null;
  /** The subscription existed before. */
  readonly isExisting: boolean;
  /** The payments of this session, one per attempt, the newest last. */
  readonly paymentIds: readonly string[];
  /** The secret of the keys of its payments' charges, on Solana; absent on EVM. */
  readonly chargeSecret?: string;
  /** The last permit that was handed in; absent: none. */
  readonly permitId?: string;
  /** Why the session makes no further payment; null: it still may. */
  readonly closed: 'settled' | 'failed' | 'expired' | null;
  /** Until when it may make a payment. */
  readonly expiresAt: Date;
  readonly purgeAt: Date;
}

interface CheckoutTerms {
  readonly offerName: string;
  readonly priceId: string;
  readonly tokenKey: string;
  readonly chainId: number;
  /** Base units of the token. */
  readonly amount: string;
  /** The units that it is for; absent: the price is fixed. */
  readonly quantity?: number;
  /** Of a subscription; absent: the full price. */
  readonly couponId?: string;
  /** Of a payment, which is less than `amount` by this; absent: the full price. */
  readonly discount?: Discount;
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

/** The kinds of difference between ledger and chain that the audit finds. */
export type DifferenceKind =
  /** The chain has a charge, and the ledger has no payment for it. */
  | 'unknown_charge'
  /** The service's keys did something that the ledger does not know. */
  | 'unknown_movement'
  /** A payment is settled, and its charge's document is missing. */
  | 'charge_missing'
  /** The ledger has a charge, and the chain does not. */
  | 'not_on_chain'
  /** Two transactions of the chain have one key. */
  | 'charged_twice'
  | 'charge_differs'
  | 'payment_differs'
  /** A deposit differs from its refunds, or from the balance. */
  | 'deposit_differs'
  /** The chain has a refund by a merchant, and its payment has none. */
  | 'unknown_refund'
  /** A settled refund by a merchant differs from the chain, or the chain does not have it. */
  | 'refund_differs'
  /** Tokens are where none may stay, or at a deposit address without a deposit for them. */
  | 'residue';

export interface DifferenceDoc {
  readonly kind: DifferenceKind;
  readonly chainId: number;
  readonly paymentId: string | null;
  readonly chargeKey: string | null;
  readonly txHash: string | null;
  readonly block: number | null;
  /** Of a residue at a merchant's operator: the owner of the operator. */
  readonly operatorOf?: { readonly merchantId: string; readonly mode: Mode };
  /** For people: both versions of the fact. */
  readonly what: string;
}

/** Differences that are only counted, with the block from which they can be found again. */
export interface FurtherDifferences {
  readonly count: number;
  /** The first block that has one. */
  readonly from: number;
}

/** How far the recurring job has audited one chain, and the open differences. `_id` is the chain id in digits. */
export interface AuditDoc {
  readonly _id: string;
  /** The first block (Solana: slot) of this ledger; earlier ones are not audited. */
  readonly since: number;
  /** The last block that has been audited. */
  readonly block: number;
  /** When the last audit ended; null: none has yet. */
  readonly at: Date | null;
  /** The number of open differences, and the first of them. */
  readonly differences: number;
  readonly open: readonly DifferenceDoc[];
  /** Open differences in other blocks. */
  readonly further: FurtherDifferences | null;
  /**
   * Deposits are checked in the order of their ids, some at a time. This is the last one; empty: the next check begins
   * with the first.
   */
  readonly depositsAfter: string;
}

/** A charge on the chain that this ledger did not know, found after a restore. `_id` is its key. */
interface FoundChargeDoc {
  readonly _id: string;
  readonly chainId: number;
  readonly txHash: string;
  /** The slot that contains it. */
  readonly block: number;
  readonly foundAt: Date;
}

/** Whose subscriptions and payments a session of the portal shows. */
export type PortalSubject =
  | {
      /** A wallet that has signed in: everything that it pays, at every merchant. */
      readonly kind: 'wallet';
      readonly family: ChainFamily;
      /** As the chain family spells it. */
      readonly wallet: string;
      /**
       * The chain whose contract has confirmed the signature: another chain may have another owner at the same address.
       * null: the wallet's key has signed, which is the same on every chain.
       */
      readonly chainId: number | null;
    }
  | {
      /** A customer with a link of a merchant: what belongs to both. */
      readonly kind: 'customer';
      readonly merchantId: string;
      readonly mode: Mode;
      readonly customerId: string;
      /** Where the page leads back to; null: nowhere. */
      readonly returnUrl: string | null;
    };

/** A text with which one wallet can sign in to the portal, once: it is deleted when it is used. `_id` is its nonce. */
export interface PortalChallengeDoc extends StoredDoc {
  readonly family: ChainFamily;
  readonly wallet: string;
  /** The chain whose contract is asked if no key has signed. */
  readonly chainId: number;
  /** Exactly the text that the wallet is shown. */
  readonly message: string;
  readonly expiresAt: Date;
}

/**
 * A session of the portal. `_id` is the SHA-256 of its secret, hex: of a cookie's value, or of the token in a
 * merchant's link.
 */
interface PortalSessionDoc extends StoredDoc {
  readonly subject: PortalSubject;
  readonly expiresAt: Date;
}

/**
 * `viewer` sees everything of its merchant except secrets. `member` also sells: offers, customers, subscriptions,
 * payments, sandbox. `admin` also has keys, payout wallets, webhook settings and the people.
 */
export type MemberRole = 'viewer' | 'member' | 'admin';

/** The public half of a passkey (WebAuthn). */
export interface Passkey {
  /** The credential id, base64url. */
  readonly id: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** How often the authenticator has signed, as it says; many always say 0. */
  readonly counter: number;
  readonly createdAt: Date;
}

/** A person who works for a merchant and signs in to its dashboard. */
export interface MemberDoc extends ChangingDoc {
  readonly merchantId: string;
  readonly name: string;
  readonly role: MemberRole;
  /** The link that signs in once; null: none is open. `tokenHash`: SHA-256, hex. */
  readonly invitation: { readonly tokenHash: string; readonly expiresAt: Date } | null;
  readonly passkeys: readonly Passkey[];
  readonly removedAt: Date | null;
  /** The newest action on the person. */
  readonly staffEntry: StaffEntryDoc;
  readonly recentOps?: readonly string[];
}

/** A browser in which a member has signed in. `_id` is the SHA-256 of its cookie's value, hex. */
interface MemberSessionDoc extends StoredDoc {
  readonly memberId: string;
  /** When the member last answered with a passkey in this session. Absent: never; the sign-in is the proof. */
  readonly provenAt?: Date;
  readonly expiresAt: Date;
}

/** A challenge that a passkey can answer once. `_id` is the challenge, base64url. */
interface PasskeyChallengeDoc extends StoredDoc {
  /** Whose new passkey answers it; null: any known passkey, to sign in. */
  readonly memberId: string | null;
  readonly expiresAt: Date;
}

/** Small facts of this installation, such as the staff token's hash. */
interface SettingDoc {
  readonly _id: string;
  readonly value: string;
}

/** What a process that only serves asks of workers. */
export interface RequestDoc extends StoredDoc {
  /** `Order` in `src/service/requests.ts`; nobody has checked it. */
  readonly order: object;
  /** `withdrawn`: no worker took it in time. */
  readonly state: 'waiting' | 'taken' | 'answered' | 'withdrawn';
  readonly answer: object | null;
  readonly purgeAt: Date;
}

/** The collections and their documents. */
export interface Collections {
  /** Actors are read and written through `Store.actors`, which knows how these belong together. */
  log: LogRow;
  subscriptions: ActorDoc;
  payments: ActorDoc;
  openPayments: OpenPaymentDoc;
  timers: TimerDoc;
  outbox: OutboxDoc;
  events: EventDoc;
  letters: LetterDoc;
  suppressions: SuppressionDoc;
  merchants: MerchantDoc;
  logos: LogoDoc;
  apiKeys: ApiKeyDoc;
  staffJournal: StaffEntryDoc;
  staffTokens: StaffTokenDoc;
  staffSessions: StaffSessionDoc;
  offers: OfferDoc;
  coupons: CouponDoc;
  redemptions: RedemptionDoc;
  customers: CustomerDoc;
  wallets: WalletDoc;
  idempotencyKeys: IdempotencyKeyDoc;
  charges: ChargeDoc;
  transactions: TransactionDoc;
  permits: PermitDoc;
  mandates: MandateDoc;
  announcements: AnnouncementDoc;
  lanes: LeaseDoc;
  chainCursors: ChainCursorDoc;
  audits: AuditDoc;
  foundCharges: FoundChargeDoc;
  usage: UsageDoc;
  invoices: InvoiceDoc;
  watches: WatchDoc;
  allowanceChanges: AllowanceChangesDoc;
  deposits: DepositDoc;
  authorizations: AuthorizationDoc;
  checkoutChallenges: CheckoutChallengeDoc;
  checkoutSessions: CheckoutSessionDoc;
  portalChallenges: PortalChallengeDoc;
  portalSessions: PortalSessionDoc;
  members: MemberDoc;
  memberSessions: MemberSessionDoc;
  passkeyChallenges: PasskeyChallengeDoc;
  settings: SettingDoc;
  requests: RequestDoc;
}
