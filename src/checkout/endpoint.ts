import type { CountsSessions } from '../billing/checkout/sessions.ts';
import { endpointFor } from '../http/endpoint.ts';

/** The caller of the checkout API: anybody, without an identity. */
export type Visitor = CountsSessions;

/** An endpoint of the checkout API, which only the pages use. */
export const checkoutEndpoint = endpointFor<Visitor>();
