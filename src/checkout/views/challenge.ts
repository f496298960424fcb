import type { Challenged, Requested } from '../../billing/checkout/challenges.ts';
import { typedDataOf } from '../../chains/mandates.ts';
import type * as wire from '../wire.ts';
import { sumView } from './asked.ts';
import { mandateView } from './mandate.ts';
import { permitToSignView } from './permit.ts';
import { chainSaysView } from './standing.ts';
import { typedDataView } from './typed-data.ts';

export function requestView({ asked, says, permit }: Requested): wire.Request {
  return {
    ...sumView(asked, { isSigned: false }),
    chain: chainSaysView(asked, says),
    permitToSign: permitToSignView(permit),
  };
}

export function challengeView(challenged: Challenged): wire.Challenge {
  const { message, mandate, asked, nonce, expiresAt } = challenged;
  return {
    message,
    typedData: typedDataView(typedDataOf(mandate)),
    mandate: mandateView(mandate, asked.place.play.decimals),
    nonce,
    expiresAt: expiresAt.toISOString(),
    ...requestView(challenged),
  };
}
