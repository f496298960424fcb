import { subscriptionContextOf } from '../../model/subscription.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { endedConsents } from '../mandates/mandates.ts';
import type { CheckoutDeps } from './deps.ts';
import { type PayerState, payerState } from './payer-state.ts';
import { permitToSign } from './permits.ts';
import type { Purchase } from './purchase.ts';
import { type RequestedAllowance, requestedAllowance } from './requested-allowance.ts';

/** What a purchase alone needs, and the state on the chain, for a wallet that has signed nothing yet. */
export interface Quote {
  readonly allowance: RequestedAllowance;
  /** null: the chain does not answer. */
  readonly payer: PayerState | null;
  /** A permit can be signed instead of an approve. Which one, says the answer to the signature. */
  readonly takesPermit: boolean;
  /** The wallet pays for this price already, and its agreement goes on. */
  readonly isSubscribed: boolean;
}

/**
 * The allowance that this purchase needs, and the wallet's state on the chain. It does not depend on the wallet's other
 * subscriptions: anybody can name any wallet (docs/rules.md, "Checkout API").
 */
export async function quotePurchase(deps: CheckoutDeps, purchase: Purchase): Promise<Quote> {
  const { tenant, token, charge, wallet, paid } = purchase;
  const allowance = await requestedAllowance(deps, tenant, token, charge, null);
  const payer = await payerState(deps, allowance, wallet);
  const takesPermit = (await permitToSign(deps, allowance, payer)) !== null;
  return { allowance, payer, takesPermit, isSubscribed: paid !== null && (await goesOn(deps, paid)) };
}

async function goesOn(deps: CheckoutDeps, subscription: ActorDoc): Promise<boolean> {
  const { consent } = subscriptionContextOf(subscription);
  return (await endedConsents(deps, [consent]))(consent) === null;
}
