import type { z } from 'zod';
import type { authorizationSchema } from '../../src/checkout/views/authorization.ts';
import type { challengeSchema } from '../../src/checkout/views/challenge.ts';
import type { offerOnSaleSchema } from '../../src/checkout/views/offer.ts';
import type { sessionSchema } from '../../src/checkout/views/session.ts';
import type { Authorization, Challenge, Offer, Session } from '../../web/pay/types.ts';

/**
 * What the pages read of the checkout API, held against what it says that it answers: a field that is missing there, or is
 * of another type, does not compile. Nothing runs.
 */
export function offerIsAsRead(answer: z.output<typeof offerOnSaleSchema>): Offer {
  return answer;
}

export function challengeIsAsRead(answer: z.output<typeof challengeSchema>): Challenge {
  return answer;
}

export function sessionIsAsRead(answer: z.output<typeof sessionSchema>): Session {
  return answer;
}

export function authorizationIsAsRead(answer: z.output<typeof authorizationSchema>): Authorization {
  return answer;
}
