/**
 * The answers of the checkout API as the pages read them (docs/rules.md, "Checkout API"). `test/pages/api-types.ts` holds them
 * against what the service says that it answers.
 */

export type ChainFamily = 'evm' | 'solana';
export type JsonMap = { readonly [key: string]: unknown };
export type Interval = 'day' | 'week' | 'month' | 'year';

export interface Playing {
  readonly chainId: number;
  readonly label: string;
  readonly tokenKey: string;
  readonly token: string;
  readonly decimals: number;
}

export interface AcceptedToken {
  readonly tokenKey: string;
  readonly ticker: string;
  readonly chainId: number;
  readonly chainLabel: string;
  readonly chainFamily: ChainFamily;
  readonly amount: string;
  readonly enabled: boolean;
  readonly playing: Playing | null;
  readonly operator: string | null;
}

export interface Option {
  readonly id: string;
  readonly label: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly billing: {
    readonly type: 'one_time' | 'recurring';
    readonly interval: Interval | null;
    readonly intervalCount: number | null;
  };
  readonly trialDays: number | null;
  readonly maxCycles: number | null;
  readonly acceptedTokens: readonly AcceptedToken[];
}

export interface Offer {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly features: readonly JsonMap[];
  readonly collectFields: JsonMap;
  readonly allowedPaymentMethods: JsonMap;
  readonly merchantName: string;
  readonly isSandbox: boolean;
  readonly isOpen: boolean;
  readonly closedFor: 'inactive' | 'expired' | 'sold_out' | null;
  readonly unitsLeft: number | null;
  readonly pricing: readonly Option[];
}

export interface Line {
  readonly offerName: string | null;
  readonly amount: string;
  readonly cycles: number;
  readonly total: string;
}

/** What is asked for; base units are the playing token's. */
export interface Sum {
  readonly lines: readonly Line[];
  readonly total: string;
  readonly totalBaseUnits: string;
  readonly least: string;
  readonly leastBaseUnits: string;
}

export interface Asked extends Sum {
  readonly ticker: string;
  readonly chainFamily: ChainFamily;
  readonly playing: Playing;
  readonly operator: string;
  readonly amount: string;
  readonly amountBaseUnits: string;
}

/** EIP-712 typed data for `eth_signTypedData_v4`. */
export interface PermitToSign {
  readonly types: { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] };
  readonly primaryType: string;
  readonly domain: { readonly chainId?: number | undefined };
  readonly message: {
    readonly owner: string;
    readonly spender: string;
    readonly value: string;
    readonly nonce: string;
    readonly deadline: string;
  };
}

/** What a wallet that has signed nothing yet is asked for, and what the chain says of it. */
export interface Request extends Sum {
  readonly chain: ChainSays | null;
  readonly permitToSign: PermitToSign | null;
}

export interface Challenge extends Request {
  readonly message: string;
  readonly nonce: string;
  readonly expiresAt: string;
}

export interface ChainSays {
  readonly wallet: string;
  readonly allowance: string;
  readonly allowanceBaseUnits: string;
  readonly balance: string;
  readonly missingAllowance: string;
  readonly missingAllowanceBaseUnits: string;
  readonly missingBalance: string;
  readonly missingBalanceBaseUnits: string;
  readonly missingNow: string;
  readonly missingNowBaseUnits: string;
  readonly hasOtherDelegate: boolean;
}

export type WaitsFor =
  | 'allowance'
  | 'balance'
  | 'deposit'
  | 'next_attempt'
  | 'chain'
  | 'no_payout_wallet'
  | 'not_enabled'
  | 'sold_out'
  | 'merchant_suspended';

export type FailureReason =
  | 'insufficient_allowance'
  | 'insufficient_balance'
  | 'pull_reverted'
  | 'forward_reverted'
  | 'platform_transfer_reverted'
  | 'distribute_reverted';

export interface Outcome {
  readonly progress: 'waiting' | 'charging' | 'completed' | 'ended';
  readonly waitsFor: WaitsFor | null;
  readonly subscription: {
    readonly id: string;
    readonly status: 'pending' | 'active' | 'past_due' | 'canceled';
    readonly payerWallet: string | null;
    readonly currentPeriodEnd: string | null;
    readonly trialEnd: string | null;
    readonly cyclesCompleted: number;
  } | null;
  readonly payment: {
    readonly id: string;
    readonly status: 'pending' | 'pulled' | 'settled' | 'failed' | 'canceled';
    readonly amount: string;
    readonly failureReason: FailureReason | null;
    readonly pullTxHash: string | null;
  } | null;
  readonly permit: {
    readonly status: 'waiting' | 'sent' | 'taken' | 'failed';
    readonly failureReason: 'expired' | 'nonce_used' | 'not_taken' | null;
    readonly txHash: string | null;
  } | null;
  readonly afterCompletion: JsonMap | null;
}

/** What a session and a link have in common: where it stands. */
export interface Standing {
  readonly kind: 'subscription' | 'payment' | 'migration';
  readonly merchantName: string;
  readonly offerName: string;
  readonly isSandbox: boolean;
  readonly asked: Asked | null;
  readonly chain: ChainSays | null;
  readonly permitToSign: PermitToSign | null;
  /** The wallet's customer had it already: nothing was made. Absent: it is not asked. */
  readonly isExisting?: boolean;
  /** The wallet that has signed. Absent: it is not asked. */
  readonly wallet?: string | null;
  /** The wallet that pays has signed it here. Absent: it is not asked, for there would be nothing without a signature. */
  readonly isSigned?: boolean;
  /** A wallet has signed, and its allowance has covered the charge since. Absent: it is not asked. */
  readonly isAuthorized?: boolean;
  readonly outcome: Outcome;
}

export interface Deposit {
  readonly address: string | null;
  readonly amount: string;
  readonly arrived: string;
  readonly confirmed: string;
  readonly missing: string;
  readonly missingBaseUnits: string;
  readonly expiresAt: string;
}

export interface Session extends Standing {
  readonly kind: 'subscription' | 'payment';
  readonly offerId: string;
  readonly priceId: string;
  readonly paymentMethod: 'wallet_connect' | 'wallet_transfer';
  readonly wallet: string | null;
  readonly isExisting: boolean;
  readonly deposit: Deposit | null;
}

export interface Authorization extends Standing {
  readonly kind: 'subscription' | 'migration';
  readonly terms: {
    readonly amount: string;
    readonly currency: string;
    readonly interval: Interval;
    readonly intervalCount: number;
    readonly maxCycles: number | null;
    readonly trialDays: number | null;
    readonly tokenKey: string;
    readonly chainId: number;
  };
  readonly signedBy: string | null;
  readonly isSigned: boolean;
  readonly isAuthorized: boolean;
  readonly expiresAt: string;
}

/** A permit as it is handed in. */
export interface SignedPermit {
  readonly value: string;
  readonly deadline: string;
  readonly signature: string;
}

/** What a wallet has signed. */
export interface Signed {
  readonly address: string;
  readonly message: string;
  readonly signature: string;
}
