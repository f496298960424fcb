import type { Router } from 'express';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { CHECKOUT_CALLS_PER_MINUTE, PAYMENT_SESSIONS_PER_DAY, SIGN_UPS_PER_DAY } from '../http/limits.ts';
import { clientAddress, clientNetwork } from '../http/middleware/client-address.ts';
import { limitDay, limitVisitor } from '../http/middleware/rate-limit.ts';
import type { WindowCounters } from '../http/middleware/windows.ts';
import { routerOf } from '../http/router.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { CHECKOUT_ROUTES } from './routes.ts';

const SIGN_UPS = 'too many sign-ups from this network today. Try again tomorrow';

/** The checkout API: without authentication, limited by address (reference, section 5.8). */
export function checkoutRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(CHECKOUT_ROUTES, async ({ endpoint }, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, response, { api: 'checkout', perMinute: CHECKOUT_CALLS_PER_MINUTE, now });
    const address = clientAddress(request.ip);
    const countPaymentSession = (wallet: string | null) =>
      limitDay(counters, response, { ...paymentSessionsOf(wallet, address), perDay: PAYMENT_SESSIONS_PER_DAY, now });
    const countSignUp = ({ _id, limitFactor }: Pick<MerchantDoc, '_id' | 'limitFactor'>) => {
      const subject = `sign-ups/${_id}/${clientNetwork(request.ip)}`;
      return limitDay(counters, response, { subject, perDay: SIGN_UPS_PER_DAY * limitFactor, what: SIGN_UPS, now });
    };
    return callEndpoint(endpoint, { request, response, caller: { countPaymentSession, countSignUp }, now }, deps);
  });
}

/** Of a wallet by its address alone, wherever it signs. */
function paymentSessionsOf(
  wallet: string | null,
  address: string,
): { readonly subject: string; readonly what: string } {
  return wallet === null
    ? {
        subject: `ip/checkout-transfer/${address}`,
        what: 'too many payments by transfer from this network today. Pay from a wallet, or try again tomorrow',
      }
    : {
        subject: `wallet/checkout-payment/${wallet}`,
        what: 'too many one-time payments of this wallet today. Try again tomorrow',
      };
}
