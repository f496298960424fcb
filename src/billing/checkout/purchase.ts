import type { Discount } from '../../../machines/rules/discount.ts';
import type { PriceModel } from '../../../machines/rules/price-model.ts';
import type { Terms } from '../../../machines/subscription/context.ts';
import { requireAddress } from '../../model/addresses.ts';
import type { ChallengePurpose, DestinationWallets, Split } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import type { AgreedRhythm } from '../mandates/draft.ts';
import type { PurchaseCharge } from './requested-allowance.ts';
import type { TokenOnChain } from './token-on-chain.ts';

/** The amount and rhythm of a charge, as shown to a payer. */
export interface PurchaseTerms {
  readonly offerName: string;
  /** The offer's price, in its currency. */
  readonly priceAmount: string;
  readonly priceCurrency: string;
  /** Base units of the requested token. */
  readonly amount: string;
  /** What `amount` follows from; absent: it is fixed. */
  readonly model?: PriceModel;
  /** Absent: the full price. */
  readonly discount?: Discount;
  /** null: it is paid once. */
  readonly recurring: Rhythm | null;
}

export interface Rhythm {
  readonly interval: Terms['interval'];
  readonly maxCycles: number | null;
  readonly trialDays: number | null;
}

/** The part of a purchase that its mandate bounds. */
export interface PurchaseLimits {
  readonly rhythm: AgreedRhythm;
  /** The highest amount of one charge, in base units of the requested token. */
  readonly perCharge: bigint;
  /** The most of all charges in any 30 days, in place of a rhythm; null: no such limit. */
  readonly per30Days: bigint | null;
  /** The option's own destination, if no payout wallet is registered. */
  readonly destination: DestinationWallets | null;
  readonly splits: readonly Split[];
  /** The mandates that its subscription has already. */
  readonly mandateIds: readonly string[];
}

/** What a wallet buys in one token: at an offer's checkout, or at a link. It is quoted, then signed, then completed. */
export interface Purchase {
  readonly tenant: Tenant;
  /** The offer's option or the link. A signature for one counts for no other. */
  readonly of: ChallengePurpose;
  readonly token: TokenOnChain;
  /** In its stored spelling. */
  readonly wallet: string;
  readonly merchantName: string;
  readonly terms: PurchaseTerms;
  /** The subscription exists already, and gets these terms. */
  readonly isMigration: boolean;
  /** These begin in the middle of a paid period; absent: they do not. */
  readonly isAtOnce?: boolean;
  /** What this wallet pays for the same price already, as anybody can see on the chain; null: nothing. */
  readonly paid: ActorDoc | null;
  readonly charge: PurchaseCharge;
  readonly limits: PurchaseLimits;
  /** The path of the page, as the text to sign names it. */
  readonly path: string;
}

/** The address in its stored spelling. Throws 400 if it is not of the token's chain family. */
export function walletAt({ requested }: TokenOnChain, address: string): string {
  return requireAddress(requested.family, address, 'address');
}
