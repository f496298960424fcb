import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { SessionStanding } from '../../billing/checkout/standing.ts';
import { idSchema } from '../../http/schemas.ts';
import { askedSchema, askedView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import {
  chainSaysSchema,
  chainSaysView,
  depositSchema,
  depositStandingView,
  outcomeSchema,
  outcomeView,
} from './standing.ts';

/** One visit of a payer to a checkout: the requested sum, the chain's data, the outcome. */
export const sessionSchema = z.strictObject({
  /** The merchant sees it as `checkout:<id>` beside the objects that it made. It is not the key and gives no access. */
  id: z.string(),
  kind: z.enum(['subscription', 'payment']),
  offerId: idSchema('offer_'),
  offerName: z.string(),
  priceId: idSchema('price_'),
  merchantName: z.string(),
  isSandbox: z.boolean(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  /** null: a `wallet_transfer`, for which no wallet signs. */
  wallet: z.string().nullable(),
  /** The customer already had this live subscription to this price. */
  isExisting: z.boolean(),
  createdAt: moment,
  /** Until when a payment may be made; null: a subscription, which waits without limit. */
  expiresAt: moment.nullable(),
  /** null: no enabled chain plays the token any more. */
  asked: askedSchema.nullable(),
  /** null: the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** A permit that the wallet can sign in place of an approval; null: none, or unknown. */
  permitToSign: permitToSignSchema.nullable(),
  /** Of a `wallet_transfer`: where to send the money, and the amount that has arrived. */
  deposit: depositSchema.nullable(),
  outcome: outcomeSchema,
});

export function sessionView(standing: SessionStanding): z.output<typeof sessionSchema> {
  const { session, merchant, asked, says, deposit, outcome } = standing;
  return {
    id: session._id,
    kind: session.kind,
    offerId: session.offerId,
    offerName: session.terms.offerName,
    priceId: session.terms.priceId,
    merchantName: merchant.name,
    isSandbox: session.mode === 'test',
    paymentMethod: session.wallet === null ? 'wallet_transfer' : 'wallet_connect',
    wallet: session.wallet,
    isExisting: session.isExisting,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.kind === 'payment' ? session.expiresAt.toISOString() : null,
    asked: asked && askedView(asked),
    chain: chainSaysView(asked, says),
    permitToSign: permitToSignView(standing.permit),
    deposit: depositStandingView(asked, deposit),
    outcome: outcomeView(outcome),
  };
}
