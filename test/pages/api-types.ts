import type { authorizationSchema } from '../../src/checkout/views/authorization.ts';
import type { challengeSchema, requestSchema } from '../../src/checkout/views/challenge.ts';
import type { offerOnSaleSchema } from '../../src/checkout/views/offer.ts';
import type { sessionSchema } from '../../src/checkout/views/session.ts';
import type { Authorization, Challenge, Offer, Request, Session } from '../../web/pay/types.ts';
import type { ReadAs } from './support/read-as.ts';

/** What the pages read of the checkout API, held against what that says that it answers. Nothing runs. */
export type CheckoutAnswers = [
  ReadAs<Offer, typeof offerOnSaleSchema>,
  ReadAs<Challenge, typeof challengeSchema>,
  ReadAs<Request, typeof requestSchema>,
  ReadAs<Session, typeof sessionSchema>,
  ReadAs<Authorization, typeof authorizationSchema>,
];
