import type { Challenged, Requested } from '../../billing/checkout/challenges.ts';
import type * as wire from '../wire.ts';
import { sumView } from './asked.ts';
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
  const { message, typedData, nonce, expiresAt } = challenged;
  return {
    message,
    typedData: typedDataView(typedData),
    nonce,
    expiresAt: expiresAt.toISOString(),
    ...requestView(challenged),
  };
}
