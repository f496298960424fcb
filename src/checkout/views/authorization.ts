import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import type { AuthorizationStanding } from '../../billing/checkout/authorize.ts';
import { billingInterval } from '../../http/schemas.ts';
import { askedSchema, askedView } from './asked.ts';
import { permitToSignSchema, permitToSignView } from './permit.ts';
import { chainSaysSchema, chainSaysView, outcomeSchema, outcomeView } from './standing.ts';

/** The purpose of an `authorizationUrl`, and its progress. */
export const authorizationSchema = z.strictObject({
  kind: z.enum(['subscription', 'migration']),
  merchantName: z.string(),
  offerName: z.string(),
  isSandbox: z.boolean(),
  /** The terms to authorize; of a migration the new ones. */
  terms: z.strictObject({
    amount: z.string(),
    currency: z.string(),
    interval: billingInterval,
    intervalCount: z.int(),
    maxCycles: z.int().nullable(),
    /** The remaining days of the trial. */
    trialDays: z.int().nullable(),
    tokenKey: z.string(),
    chainId: z.int(),
  }),
  /** The wallet that pays; null: none yet. */
  signedBy: z.string().nullable(),
  /**
   * The wallet has signed the purpose of this link. A subscription can also be authorized without a signature, by an approval
   * alone.
   */
  isSigned: z.boolean(),
  /** A wallet has signed, and its allowance has covered the charge since. */
  isAuthorized: z.boolean(),
  expiresAt: moment,
  /** null: no enabled chain plays the token. */
  asked: askedSchema.nullable(),
  /** null: the wallet is unknown, or the chain does not answer. */
  chain: chainSaysSchema.nullable(),
  /** A permit that the wallet can sign in place of an approval; null: none, or unknown. */
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
