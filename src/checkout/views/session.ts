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

/** One visit of a payer to a checkout: what is asked, what the chain says, what has become of it. */
export const sessionSchema = z.strictObject({
  /** As `checkout:<id>` the merchant sees it beside what it has made. Not the key: it lets nobody in. */
  id: z.string(),
  kind: z.enum(['subscription', 'payment']),
  offerId: idSchema('offer_'),
  offerName: z.string(),
  priceId: idSchema('price_'),
  merchantName: z.string(),
  isSandbox: z.boolean(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']),
  /** null: of a `wallet_transfer`, for which no wallet has signed. */
  wallet: z.string().nullable(),
  /** There was a live subscription of this customer to this price: it is that one. */
  isExisting: z.boolean(),
  createdAt: moment,
  /** Until when a payment is made; of a subscription, null: it waits as long as it takes. */
  expiresAt: moment.nullable(),
  /** null: no chain that is enabled plays the token any more. */
  asked: askedSchema.nullable(),
  /** null: the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** What the wallet can sign in place of an approve; null: nothing, or it is not known. */
  permitToSign: permitToSignSchema.nullable(),
  /** Of a `wallet_transfer`: where the money is to be sent, and how much is there. */
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
