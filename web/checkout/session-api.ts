import type { AcceptedToken, Asked, Option, Session } from '../../src/checkout/wire.ts';
import type { Signed } from '../pay/checkout-api.ts';
import {
  challengeOffer,
  draftApproval,
  getSession,
  openSession,
  proofUrlOf,
  requestOffer,
} from '../pay/checkout-api.ts';
import type { Choice } from '../pay/choice.ts';
import { isUnderWay, type PurchaseApi } from '../pay/flow.ts';
import { remember } from '../pay/session-memory.ts';

export interface SessionApiInput {
  readonly offerId: string;
  readonly sessionKey: string;
  readonly option: Pick<Option, 'id' | 'billing'>;
  readonly tokenKey: string;
  readonly payToken: Pick<Asked, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  /** The signature of this tab; null: none. */
  readonly signed: Signed | null;
  readonly isSigned: boolean;
  readonly choice?: Choice;
  /** The fields, read at the moment of the signature. */
  readonly collected: () => { readonly [key: string]: string };
  /** The service has refused; the offer may have changed. */
  readonly onRefused: () => void;
}

/** A subscription to an offer, or a single payment. */
export function sessionApi(input: SessionApiInput): PurchaseApi<Session> {
  const { offerId, sessionKey, option, tokenKey, payToken, signed, isSigned, choice } = input;
  const priceId = option.id;
  const kind = option.billing.type === 'one_time' ? 'payments' : 'subscriptions';
  return {
    payToken,
    signed,
    isSigned,
    ...(choice === undefined ? {} : { choice }),
    challenge: (address) =>
      challengeOffer(offerId, { address, priceId, tokenKey }).catch((error: unknown) => {
        input.onRefused();
        throw error;
      }),
    request: (address) => requestOffer(offerId, { address, priceId, tokenKey }),
    open: async (agreed, permit) => {
      const collected = input.collected();
      remember(offerId, { sessionKey, priceId, tokenKey, collected, signed: agreed });
      const body = { sessionKey, priceId, tokenKey, collected, ...agreed, ...(permit === null ? {} : { permit }) };
      return openSession(offerId, kind, body).catch((error: unknown) => {
        if (permit === null) input.onRefused();
        throw error;
      });
    },
    poll: () => getSession(sessionKey),
    proofUrl: proofUrlOf(sessionKey),
    draftApproval: (address, value) => draftApproval({ sessionKey }, { address, value: value.toString() }),
    isOpen: isUnderWay,
    signerOf: ({ wallet }) => wallet,
  };
}

/** null: no enabled chain plays the token. */
export function payTokenOf({
  playing,
  chainFamily,
  ticker,
  operator,
}: AcceptedToken): SessionApiInput['payToken'] | null {
  return playing === null || operator === null ? null : { playing, chainFamily, ticker, operator };
}
