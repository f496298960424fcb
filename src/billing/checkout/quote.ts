import type { CheckoutDeps } from './deps.ts';
import { type PayerState, payerState } from './payer-state.ts';
import { type PermitToSign, permitToSign } from './permits.ts';
import type { Purchase } from './purchase.ts';
import { type RequestedAllowance, requestedAllowance } from './requested-allowance.ts';

/** The sum to approve and the state on the chain, for a wallet that has signed nothing yet. */
export interface Quote {
  readonly allowance: RequestedAllowance;
  /** null: the chain does not answer. */
  readonly payer: PayerState | null;
  /** The permit that can be signed instead of an approve; null: none. */
  readonly permit: PermitToSign | null;
}

/** The sum that the wallet is asked to approve for this purchase, and its state on the chain. */
export async function quotePurchase(deps: CheckoutDeps, { tenant, token, charge, wallet }: Purchase): Promise<Quote> {
  const allowance = await requestedAllowance(deps, tenant, token, charge, wallet);
  const payer = await payerState(deps, allowance, wallet);
  return { allowance, payer, permit: await permitToSign(deps, allowance, payer) };
}
