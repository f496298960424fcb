import { z } from 'zod';
import { blockedReason, failureReason, moment } from '../../machines/effects.ts';
import { deferral } from '../../machines/subscription/context.ts';
import {
  billingInterval,
  brandingSchema,
  chainFamily,
  computedAmount,
  heldWhy,
  idSchema,
  jsonMap,
  paymentStatus,
  priceModels,
  priceTerms,
  quoteSchema,
  receiptPath,
  shownDiscountSchema,
  subscriptionStatus,
} from '../http/schemas.ts';

/*
 * The answers of the checkout API as JSON (docs/rules.md, "Checkout API"): schemas for the endpoints, and types for the
 * views that make them and for the pages that read them. The pages import types alone, so no code of the service gets
 * into them.
 */

const baseUnits = z.string().regex(/^\d+$/);

/** Where the payment happens: the data that a wallet needs about the chain that plays the requested one. */
const tokenOnChainSchema = z.strictObject({
  /** The requested token. */
  tokenKey: z.string(),
  ticker: z.string(),
  chainId: z.int(),
  chainFamily,
  /** The chain and token of the real payment; they differ from the requested ones only with a test key. */
  playing: z.strictObject({
    chainId: z.int(),
    label: z.string(),
    tokenKey: z.string(),
    /** EVM contract or Solana mint. */
    token: z.string(),
    decimals: z.int(),
  }),
  /** The approved address: EVM spender or Solana delegate. */
  operator: z.string(),
});
export type TokenOnChain = z.output<typeof tokenOnChainSchema>;
export type Playing = TokenOnChain['playing'];
export type ChainFamily = TokenOnChain['chainFamily'];

const lineSchema = z.strictObject({
  offerName: z.string(),
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  cycles: z.int(),
  total: computedAmount,
  totalBaseUnits: baseUnits,
});

/**
 * The sum that a page asks for (docs/rules.md, "Operators, consent, allowances"); base units are of the playing token.
 * Before the wallet has signed it is of the present purchase alone; with it, an approval would replace what the
 * wallet's other subscriptions need.
 */
const sumSchema = z.strictObject({
  lines: z.array(lineSchema),
  total: computedAmount,
  totalBaseUnits: baseUnits,
  /** The next charges of all lines; a smaller allowance is useless. */
  least: computedAmount,
  leastBaseUnits: baseUnits,
});
export type Sum = z.output<typeof sumSchema>;

const requestedAllowanceSchema = z.strictObject({
  ...tokenOnChainSchema.shape,
  /** One charge. */
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  ...sumSchema.shape,
});
export type RequestedAllowance = z.output<typeof requestedAllowanceSchema>;

const acceptedTokenSchema = z.strictObject({
  tokenKey: z.string(),
  ticker: z.string(),
  chainId: z.int(),
  chainLabel: z.string(),
  chainFamily,
  /** One charge, or one unit, in token units; of a metered price the most of a charge. */
  amount: computedAmount,
  /** True if it can be used for payment now. */
  enabled: z.boolean(),
  /** null: not enabled. */
  playing: tokenOnChainSchema.shape.playing.nullable(),
  operator: z.string().nullable(),
  /** The same in base units of the playing token. */
  amountBaseUnits: z.string().nullable(),
});
export type AcceptedToken = z.output<typeof acceptedTokenSchema>;

const optionSchema = z.strictObject({
  ...priceTerms,
  acceptedTokens: z.array(acceptedTokenSchema),
});
export type Option = z.output<typeof optionSchema>;
export type Interval = NonNullable<Option['billing']['interval']>;

/** The parts of an offer that a page shows; `afterCompletion` is only for payers who have completed it. */
export const offerOnSaleSchema = z.strictObject({
  id: idSchema('offer_'),
  name: z.string(),
  description: z.string().nullable(),
  imageUrl: z.string().nullable(),
  features: z.array(jsonMap),
  collectFields: jsonMap,
  allowedPaymentMethods: jsonMap,
  merchantName: z.string(),
  branding: brandingSchema,
  isSandbox: z.boolean(),
  isOpen: z.boolean(),
  closedFor: z.enum(['inactive', 'expired', 'sold_out']).nullable(),
  unitsLeft: z.int().nullable(),
  expiresAt: z.string().nullable(),
  /** The merchant has made coupons with a code. */
  takesCodes: z.boolean(),
  pricing: z.array(optionSchema),
});
export type Offer = z.output<typeof offerOnSaleSchema>;

const field = z.strictObject({ name: z.string(), type: z.string() });

/** EIP-712 typed data for `eth_signTypedData_v4`. The signer may change `value` and `deadline`. */
const permitToSignSchema = z.strictObject({
  types: z.strictObject({ EIP712Domain: z.array(field), Permit: z.array(field) }),
  primaryType: z.literal('Permit'),
  domain: z.strictObject({
    name: z.string().optional(),
    version: z.string().optional(),
    chainId: z.int().optional(),
    verifyingContract: z.string().optional(),
    salt: z.string().optional(),
  }),
  message: z.strictObject({
    owner: z.string(),
    spender: z.string(),
    value: z.string(),
    nonce: z.string(),
    deadline: z.string(),
  }),
});
export type PermitToSign = z.output<typeof permitToSignSchema>;

/** The progress of a permit that was handed in. */
const permitSchema = z.strictObject({
  /**
   * `sent`: a transaction of the service contains it. `taken`: the token has accepted it, from the service or from
   * anybody. `failed`: the token never will.
   */
  status: z.enum(['waiting', 'sent', 'taken', 'failed']),
  failureReason: z.enum(['expired', 'nonce_used', 'not_taken']).nullable(),
  /** null: no block contains a transaction of the service with it. */
  txHash: z.string().nullable(),
  valueBaseUnits: z.string(),
  deadline: z.string(),
});
export type Permit = z.output<typeof permitSchema>;

/** The chain's data about the wallet, in units and base units of the playing token. */
const payerStateSchema = z.strictObject({
  wallet: z.string(),
  allowance: computedAmount,
  allowanceBaseUnits: baseUnits,
  balance: computedAmount,
  balanceBaseUnits: baseUnits,
  /** The amount that is missing for the next charge, after the charges of the wallet's other subscriptions. */
  missingAllowance: computedAmount,
  missingAllowanceBaseUnits: baseUnits,
  missingBalance: computedAmount,
  missingBalanceBaseUnits: baseUnits,
  /** What the balance lacks for a charge that follows as soon as the allowance is there; 0: none, or no such charge. */
  missingNow: computedAmount,
  missingNowBaseUnits: baseUnits,
  /** Solana: the account's delegate is somebody else's, who loses it with the next approval. */
  hasOtherDelegate: z.boolean(),
});
export type PayerState = z.output<typeof payerStateSchema>;

/** The deposit for a payment, in units and base units of the playing token. */
const depositSchema = z.strictObject({
  /** null: no more money may be sent. */
  address: z.string().nullable(),
  amount: computedAmount,
  amountBaseUnits: baseUnits,
  /** The amount that has arrived, and the part that is deep enough in the chain to count. */
  arrived: computedAmount,
  arrivedBaseUnits: baseUnits,
  confirmed: computedAmount,
  confirmedBaseUnits: baseUnits,
  /** The amount still to be sent. */
  missing: computedAmount,
  missingBaseUnits: baseUnits,
  expiresAt: moment,
  /** The receiver of unused money; null: none is named. */
  refundWallet: z.string().nullable(),
  /** The money that the payment does not use, by token, outcome and receiver. */
  unused: z.array(
    z.strictObject({
      amount: computedAmount,
      ticker: z.string(),
      fate: z.enum(['held', 'refunding', 'refunded']),
      /** Why it is held; null: it is not. */
      held: heldWhy.nullable(),
      /** The receiver of the refund; null: it is held. */
      to: z.string().nullable(),
    }),
  ),
});
export type Deposit = z.output<typeof depositSchema>;

const subscriptionSchema = z.strictObject({
  id: idSchema('sub_'),
  status: subscriptionStatus,
  allowanceConfirmed: z.boolean(),
  payerWallet: z.string().nullable(),
  currentPeriodEnd: moment.nullable(),
  trialEnd: moment.nullable(),
  cyclesCompleted: z.int(),
  /** Each charge is for the use before it: the time until the first one is no trial. */
  isMetered: z.boolean(),
  /** It is charged as soon as enough is used, and not only after each period. */
  hasThreshold: z.literal(true).exactOptional(),
  /** null: the next charge is the full price. */
  discount: shownDiscountSchema.nullable(),
});
export type Subscription = z.output<typeof subscriptionSchema>;
export type Discount = NonNullable<Subscription['discount']>;

const paymentSchema = z.strictObject({
  id: idSchema('pay_'),
  status: paymentStatus,
  amount: computedAmount,
  failureReason: failureReason.nullable(),
  blockedReason: blockedReason.nullable(),
  pullTxHash: z.string().nullable(),
  /** The page of that transaction on a block explorer; null: none yet, or a local chain. */
  explorerUrl: z.string().nullable(),
  /** null: not settled. */
  paidAt: moment.nullable(),
});
export type Payment = z.output<typeof paymentSchema>;

const outcomeSchema = z.strictObject({
  /** `ended`: nothing more will happen. */
  progress: z.enum(['waiting', 'charging', 'completed', 'ended']),
  /** The event that must happen before it continues; null: none. `signature`: the payer has revoked the mandate. */
  waitsFor: z
    .enum(['allowance', 'signature', 'balance', 'deposit', 'next_attempt', 'chain', ...deferral.options])
    .nullable(),
  subscription: subscriptionSchema.nullable(),
  /**
   * The newest payment under the present terms; null: none yet. A charge under earlier terms, or of another wallet,
   * does not count.
   */
  payment: paymentSchema.nullable(),
  /** The last permit that was handed in; null: none. */
  permit: permitSchema.nullable(),
  /** From the offer; null until completion. */
  afterCompletion: jsonMap.nullable(),
  /** Where the receipt stays, below the root of the service; null until completion. */
  receiptPath: receiptPath.nullable(),
});
export type Outcome = z.output<typeof outcomeSchema>;
export type WaitsFor = NonNullable<Outcome['waitsFor']>;

/** What a purchase alone needs, before its wallet signs, and the chain's data about the wallet now. */
export const requestSchema = z.strictObject({
  ...sumSchema.shape,
  /** null: the chain does not answer. */
  chain: payerStateSchema.nullable(),
  /** The token accepts a permit of this wallet in place of an approval. It is for the sum after the signature. */
  takesPermit: z.boolean(),
  /** The wallet pays an active subscription to this price, with a charge that the chain shows. */
  isSubscribed: z.boolean(),
});
export type Request = z.output<typeof requestSchema>;

/**
 * EIP-712 typed data of a mandate for `eth_signTypedData_v4`: all that the service may ever charge. Libraries that add
 * `EIP712Domain` themselves (ethers) need `types` without it.
 */
const typedDataSchema = z.strictObject({
  types: z.strictObject({ EIP712Domain: z.array(field), Mandate: z.array(field) }),
  primaryType: z.literal('Mandate'),
  domain: z.strictObject({
    name: z.string(),
    version: z.string(),
    chainId: z.int(),
    verifyingContract: z.string(),
  }),
  message: z.strictObject({
    payer: z.string(),
    /** The hash of the merchant and the mode. */
    merchant: z.string(),
    token: z.string(),
    /** The highest amount of one charge, in base units. */
    perCharge: z.string(),
    /** The most charges in all; 0: until the payer revokes it. */
    charges: z.int(),
    /** Seconds from one charge to the next; 0: no rhythm, or one of months. */
    interval: z.int(),
    /** Calendar months (UTC) from one charge to the next; 0: no rhythm, or one of seconds. */
    months: z.int(),
    /** Unix seconds. `end` 0: none. */
    start: z.int(),
    end: z.int(),
    issuedAt: z.int(),
    platform: z.string(),
    /** The most of a charge for the platform, in basis points. */
    feeBps: z.int(),
    /** Everybody else who may be paid. */
    payees: z.array(z.string()),
    agreement: z.string(),
    /** The hash of the sentence of `message` that states the agreement. */
    terms: z.string(),
    /** The most of all charges in any 30 days, in base units; absent: no such limit. */
    per30Days: z.string().exactOptional(),
  }),
});
export type TypedData = z.output<typeof typedDataSchema>;

/** The limits that a payer signs, for people. Amounts are of the playing token. */
const mandateSchema = z.strictObject({
  payer: z.string(),
  /** The highest amount of one charge. */
  perCharge: computedAmount,
  perChargeBaseUnits: baseUnits,
  /** The most of all charges in any 30 days; null: no such limit. */
  per30Days: computedAmount.nullable(),
  /** The most charges in all; null: until the payer revokes it. */
  charges: z.int().nullable(),
  /** Seconds from one charge to the next; null: no rhythm, or one of months. */
  intervalSeconds: z.int().nullable(),
  /** Calendar months (UTC) from one charge to the next; null: no rhythm, or one of seconds. */
  intervalMonths: z.int().nullable(),
  /** null: now. */
  startsAt: moment.nullable(),
  /** null: no end. */
  endsAt: moment.nullable(),
  /** Who may be paid, beside the platform. */
  payees: z.array(z.string()),
  /** The most of a charge for the platform, in basis points; null: nothing. */
  platform: z.strictObject({ wallet: z.string(), feeBps: z.int() }).nullable(),
  /**
   * The contract that keeps the limits, and its names of the merchant and the agreement, which the payer can revoke
   * there; null if the payer has revoked it, and on Solana, where the service checks the limits.
   */
  contract: z.strictObject({ router: z.string(), merchant: z.string(), agreement: z.string() }).nullable(),
});
export type Mandate = z.output<typeof mandateSchema>;

/** A text with typed data to sign (on Solana the text itself), and what its purchase needs. */
export const challengeSchema = z.strictObject({
  message: z.string(),
  /** null on Solana, where the wallet signs `message`. */
  typedData: typedDataSchema.nullable(),
  mandate: mandateSchema,
  nonce: z.string(),
  expiresAt: moment,
  ...requestSchema.shape,
});
export type Challenge = z.output<typeof challengeSchema>;

/** What a payer is asked for, and how far it is. */
export const progressSchema = z.strictObject({
  /** null: no enabled chain plays the token any more. */
  asked: requestedAllowanceSchema.nullable(),
  /** null: the wallet is unknown, or the chain does not answer. */
  chain: payerStateSchema.nullable(),
  /** A permit that the wallet can sign in place of an approval; null: none, or unknown. */
  permitToSign: permitToSignSchema.nullable(),
  /** The limits that the payer has signed here; null: none, or `asked` is. */
  mandate: mandateSchema.nullable(),
  outcome: outcomeSchema,
});
export type Progress = z.output<typeof progressSchema>;

/** One visit of a payer to a checkout: the requested sum, the chain's data, the outcome. */
export const sessionSchema = z.strictObject({
  /** The merchant sees it as `checkout:<id>` beside the objects that it made. It is not the key and gives no access. */
  id: z.string(),
  kind: z.enum(['subscription', 'payment']),
  offerId: idSchema('offer_'),
  offerName: z.string(),
  priceId: idSchema('price_'),
  /** The units that were chosen; null: the price is fixed. */
  quantity: z.int().nullable(),
  /** Of a payment; null: the full price. A subscription has its own in `outcome`. */
  discount: shownDiscountSchema.nullable(),
  merchantName: z.string(),
  isSandbox: z.boolean(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  /** null: a `wallet_transfer`, for which no wallet signs. */
  wallet: z.string().nullable(),
  /** The customer already had this live subscription to this price. */
  isExisting: z.boolean(),
  createdAt: moment,
  /** Until when a payment may be made; null: a subscription, which waits without limit. */
  expiresAt: moment.nullable(),
  ...progressSchema.shape,
  /** Of a `wallet_transfer`: where to send the money, and the amount that has arrived. */
  deposit: depositSchema.nullable(),
});
export type Session = z.output<typeof sessionSchema>;

export const foundSessionSchema = z.strictObject({ session: sessionSchema.nullable() });
export type FoundSession = z.output<typeof foundSessionSchema>;

export type Quote = z.output<typeof quoteSchema>;

/** The purpose of an `authorizationUrl`, and its progress. */
export const authorizationSchema = z.strictObject({
  kind: z.enum(['subscription', 'migration']),
  merchantName: z.string(),
  branding: brandingSchema,
  offerName: z.string(),
  isSandbox: z.boolean(),
  /** The terms to authorize; of a migration the new ones. */
  terms: z.strictObject({
    amount: z.string(),
    currency: z.string(),
    interval: billingInterval,
    intervalCount: z.int(),
    maxCycles: z.int().nullable(),
    ...priceModels,
    /** The remaining days of the trial. */
    trialDays: z.int().nullable(),
    tokenKey: z.string(),
    chainId: z.int(),
  }),
  /** The wallet that pays; null: none yet. */
  signedBy: z.string().nullable(),
  /**
   * The wallet has signed the purpose of this link. A subscription can also be authorized without a signature, by an
   * approval alone.
   */
  isSigned: z.boolean(),
  /** A wallet has signed, and its allowance has covered the charge since. */
  isAuthorized: z.boolean(),
  expiresAt: moment,
  /** Of new terms; null: they have begun, or nothing is paid yet. */
  quote: quoteSchema.nullable(),
  ...progressSchema.shape,
});
export type Authorization = z.output<typeof authorizationSchema>;
