import type { FailureReason } from '../effects.ts';

/** The text for the payer, as the catalogs of pages and letters name it. */
export const FAILURE_TEXTS = {
  insufficient_allowance: 'failure.insufficient_allowance',
  insufficient_balance: 'failure.insufficient_balance',
  pull_reverted: 'failure.pull_reverted',
  forward_reverted: 'failure.forward_reverted',
  platform_transfer_reverted: 'failure.share_reverted',
  distribute_reverted: 'failure.share_reverted',
} as const satisfies { readonly [R in FailureReason]: string };
