import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { AuthorizationStanding } from '../../billing/checkout/authorize.ts';
import { billingInterval } from '../../http/schemas.ts';
import { askedSchema, askedView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import { chainSaysSchema, chainSaysView, outcomeSchema, outcomeView } from './standing.ts';

/** What a link of `authorizationUrl` stands for, and what has become of it. */
export const authorizationSchema = z.strictObject({
  kind: z.enum(['subscription', 'migration']),
  merchantName: z.string(),
  offerName: z.string(),
  isSandbox: z.boolean(),
  /** What is to be authorized: of a migration the new terms. */
  terms: z.strictObject({
    amount: z.string(),
    currency: z.string(),
    interval: billingInterval,
    intervalCount: z.int(),
    maxCycles: z.int().nullable(),
    /** Left of the trial. */
    trialDays: z.int().nullable(),
    tokenKey: z.string(),
    chainId: z.int(),
  }),
  /** The wallet that pays for it; null: none does. */
  signedBy: z.string().nullable(),
  /** That wallet has signed what this link stands for: without a signature a subscription can be authorized by an approval alone. */
  isSigned: z.boolean(),
  /** A wallet has signed, and its allowance has covered the charge since. */
  isAuthorized: z.boolean(),
  expiresAt: moment,
  /** null: no chain that is enabled plays the token. */
  asked: askedSchema.nullable(),
  /** null: no wallet is known, or the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** What the wallet can sign in place of an approve; null: nothing, or it is not known. */
  permitToSign: permitToSignSchema.nullable(),
  outcome: outcomeSchema,
});

export function authorizationView(standing: AuthorizationStanding): z.output<typeof authorizationSchema> {
  const { kind, merchant, terms, isSandbox } = standing;
  const { interval, maxCycles, trialDays } = terms.recurring;
  return {
    kind,
    merchantName: merchant.name,
    offerName: terms.offerName,
    isSandbox,
    terms: {
      amount: terms.priceAmount,
      currency: terms.priceCurrency,
      interval: interval.unit,
      intervalCount: interval.count,
      maxCycles,
      trialDays,
      tokenKey: standing.tokenKey,
      chainId: standing.chainId,
    },
    signedBy: standing.signedBy,
    isSigned: standing.isSigned,
    isAuthorized: standing.isAuthorized,
    expiresAt: standing.expiresAt.toISOString(),
    asked: standing.asked && askedView(standing.asked),
    chain: chainSaysView(standing.asked, standing.says),
    permitToSign: permitToSignView(standing.permit),
    outcome: outcomeView(standing.outcome),
  };
}
