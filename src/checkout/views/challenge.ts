import type { Quote } from '../../billing/checkout/quote.ts';
import type { Challenged } from '../../billing/checkout/sign.ts';
import { typedDataOf } from '../../chains/mandates.ts';
import type * as wire from '../wire.ts';
import { payerStateView } from './checkout-state.ts';
import { mandateView } from './mandate.ts';
import { sumView } from './requested-allowance.ts';
import { typedDataView } from './typed-data.ts';

export function requestView({ allowance, payer, takesPermit, isSubscribed }: Quote): wire.Request {
  return {
    ...sumView(allowance),
    chain: payerStateView(allowance, payer),
    takesPermit,
    isSubscribed,
  };
}

export function challengeView(challenged: Challenged): wire.Challenge {
  const { message, mandate, allowance, nonce, expiresAt } = challenged;
  return {
    message,
    typedData: typedDataView(typedDataOf(mandate)),
    mandate: mandateView(mandate, allowance.token.play.decimals),
    nonce,
    expiresAt: expiresAt.toISOString(),
    ...requestView(challenged),
  };
}
