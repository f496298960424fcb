import type { BlockedReason, FailureReason } from '../../machines/effects.ts';

/** What a merchant can do about a charge that has failed, or that waits. */
export const REMEDIES: { readonly [R in FailureReason | BlockedReason]: string } = {
  insufficient_allowance: 'Ask the payer to approve again at the `authorizationUrl` or in the portal.',
  insufficient_balance:
    'Ask the payer to top up the wallet. The next attempt follows by itself; POST …/retry makes one now.',
  pull_reverted: 'Ask the payer to pay from another wallet, or the issuer of the token why it refuses this one.',
  forward_reverted: 'Register a payout wallet that can receive the token (POST /wallets).',
  platform_transfer_reverted: 'Ask the operator of the service. Nothing was charged.',
  distribute_reverted: 'Correct the recipients of the split: one of them cannot receive the token.',
  no_payout_wallet: 'Register a payout wallet for the token (POST /wallets).',
  chain_not_enabled: 'Ask the operator of the service, or use a token of another chain.',
  sold_out: 'Raise `availableQuantity` of the offer.',
  merchant_suspended: 'Ask the operator of the service.',
  undeliverable: 'Check the payout wallet and the recipients of the split: the token refuses one of them.',
};
