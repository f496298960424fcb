import { z } from 'zod';
import type { SessionStanding } from '../../billing/checkout.ts';
import { idSchema, moment } from '../../http/views/shared.ts';
import { askedSchema, askedView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import { chainSaysSchema, chainSaysView, outcomeSchema, outcomeView } from './standing.ts';

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
  wallet: z.string(),
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
  outcome: outcomeSchema,
});

export function sessionView(standing: SessionStanding): z.output<typeof sessionSchema> {
  const { session, merchant, asked, says, outcome } = standing;
  return {
    id: session._id,
    kind: session.kind,
    offerId: session.offerId,
    offerName: session.terms.offerName,
    priceId: session.terms.priceId,
    merchantName: merchant.name,
    isSandbox: session.mode === 'test',
    wallet: session.wallet,
    isExisting: session.isExisting,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.kind === 'payment' ? session.expiresAt.toISOString() : null,
    asked: asked && askedView(asked),
    chain: chainSaysView(asked, says),
    permitToSign: permitToSignView(standing.permit),
    outcome: outcomeView(outcome),
  };
}
