import type { BlockedReason } from '../../machines/effects.ts';

/** Why a due or open charge is not made, in words for merchants and staff. */
export const BLOCKED: { readonly [R in BlockedReason]: string } = {
  no_payout_wallet: 'the merchant has registered no payout wallet that the charge could be paid out to',
  chain_not_enabled: 'the chain of its token is not enabled on this installation',
  sold_out: 'the offer has no unit left',
  merchant_suspended: 'the merchant is suspended',
  undeliverable: 'a recipient does not take its share, such as a payout wallet that cannot receive the token',
};
