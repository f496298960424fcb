import type { Router } from 'express';
import { type BudgetHolder, spend, spendOfDay } from '../billing/resources/budgets.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import { PAYMENT_SESSIONS_PER_DAY } from '../http/limits.ts';
import { clientOf } from '../http/middleware/client-address.ts';
import { limitVisitor } from '../http/middleware/rate-limit.ts';
import { routerOf } from '../http/router.ts';
import type { Mode } from '../store/documents.ts';
import type { WindowCounters } from '../store/windows.ts';
import { CHECKOUT_ROUTES } from './routes.ts';

/** The checkout API: without authentication, limited by address (reference, section 5.8). */
export function checkoutRouter(deps: HttpDeps, counters: WindowCounters): Router {
  return routerOf(CHECKOUT_ROUTES, async ({ endpoint }, request, response) => {
    const now = deps.clock();
    await limitVisitor(counters, request, 'checkout', now);
    const { address, network, isReadable, limitFactor } = clientOf(request);
    const countPaymentSession = async (wallet: string | null) => {
      if (wallet === null && !isReadable) return;
      await spendOfDay(deps, { ...paymentSessionsOf(wallet, address), perDay: PAYMENT_SESSIONS_PER_DAY });
    };
    const countSignUp = (merchant: BudgetHolder, mode: Mode) =>
      spend(deps, merchant, { mode, budget: 'signUpsPerDay', of: network, times: limitFactor });
    return callEndpoint(endpoint, { request, response, caller: { countPaymentSession, countSignUp }, now }, deps);
  });
}

/** Of a wallet by its address alone, wherever it signs. */
function paymentSessionsOf(wallet: string | null, address: string) {
  return wallet === null
    ? {
        subject: `ip/checkout-transfer/${address}`,
        too: 'too many payments by transfer from this network today. Pay from a wallet, or try again tomorrow',
      }
    : {
        subject: `wallet/checkout-payment/${wallet}`,
        too: 'too many one-time payments of this wallet today. Try again tomorrow',
      };
}
