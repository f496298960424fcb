import type { BlockedReason } from '../../machines/effects.ts';

/** Why a due or open charge is not made, in words for merchants and staff. */
export const BLOCKED: { readonly [R in BlockedReason]: string } = {
  no_payout_wallet: 'the merchant has no payout wallet for this charge',
  chain_not_enabled: "the token's chain is not enabled on this installation",
  sold_out: 'the offer is sold out',
  merchant_suspended: 'the merchant is suspended',
  undeliverable: 'a recipient cannot receive its share, for example a payout wallet that the token refuses',
};
