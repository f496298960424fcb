import type { Asked, Authorization } from '../../src/checkout/wire.ts';
import {
  authorize,
  challengeAuthorization,
  draftApproval,
  getAuthorization,
  requestAuthorization,
} from '../pay/checkout-api.ts';
import type { Choice } from '../pay/choice.ts';
import { isUnderWay, type PurchaseApi } from '../pay/flow.ts';

/** The authorization of an existing subscription, or of its new terms. */
export function linkApi(
  token: string,
  asked: Asked,
  known: Authorization,
  choice: Choice | undefined,
): PurchaseApi<Authorization> {
  return {
    ...(choice === undefined ? {} : { choice }),
    payToken: asked,
    signed: null,
    isSigned: !isOpen(known),
    challenge: (address) => challengeAuthorization(token, address),
    request: (address) => requestAuthorization(token, address),
    open: (signed, permit) => authorize(token, { ...signed, ...(permit === null ? {} : { permit }) }),
    poll: () => getAuthorization(token),
    proofUrl: null,
    draftApproval: (address, value) => draftApproval({ token }, { address, value: value.toString() }),
    isOpen,
    signerOf: ({ signedBy }) => signedBy,
  };
}

/** New terms stay open until they are authorized, even if the state of the subscription changes. */
function isOpen(purchase: Authorization): boolean {
  if (purchase.outcome.progress === 'ended') return false;
  return purchase.kind === 'migration' ? !purchase.isAuthorized : isUnderWay(purchase);
}
