import type { LocalWallet } from '../../pay/devnet.ts';
import { get, post } from '../dashboard-api.ts';
import type { Customer, Customers, Payment, Payments, PricingOption, Subscription, Wallets } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import type { TokenChoice } from '../shared/currencies.ts';
import { tokenUnits } from '../shared/currencies.ts';

/** A local charge is final within seconds, on a slow machine later. */
const PATIENCE_MS = 120_000;
const POLL_MS = 700;

export interface TestCharge {
  readonly mode: Mode;
  readonly price: PricingOption;
  readonly token: TokenChoice;
  readonly payer: LocalWallet;
}

/** Sells the price to a test wallet, and resolves with the settled payment. Throws with the reason if it fails. */
export async function makeTestCharge(charge: TestCharge): Promise<Payment> {
  const { mode } = charge;
  const customerId = await customerOf(charge);
  if (charge.price.billing.type === 'one_time') {
    const { id } = await payOnce(charge, customerId);
    return settled(() => get<Payment>(`/${mode}/payments/${id}`));
  }
  const body = { priceId: charge.price.id, customerId, tokenKey: charge.token.key };
  const { id } = await post<Subscription>(`/${mode}/subscriptions`, body);
  return settled(async () => {
    const { payments } = await get<Payments>(`/${mode}/payments?subscriptionId=${id}&limit=1`);
    return payments[0] ?? null;
  });
}

/** A wallet is one customer's: the one that has it, else a new one. */
async function customerOf({ mode, payer, token: { family } }: TestCharge): Promise<string> {
  const { customers } = await get<Customers>(`/${mode}/customers?walletAddress=${payer.address}&limit=1`);
  const [known] = customers;
  if (known !== undefined) return known.id;
  const body = { name: `Test wallet ${payer.name}`, wallets: [{ chainFamily: family, address: payer.address }] };
  return (await post<Customer>(`/${mode}/customers`, body)).id;
}

async function payOnce({ mode, price, token, payer }: TestCharge, customerId: string): Promise<Payment> {
  const { wallets } = await get<Wallets>(`/${mode}/wallets`);
  const toWallet =
    wallets.find(({ tokenKey }) => tokenKey === token.key)?.receiverWallet ??
    price.merchantDestinationWallet?.[token.family];
  const baseUnits = price.acceptedTokens.find(({ tokenKey }) => tokenKey === token.key)?.amountBaseUnits ?? '0';
  const body = {
    toWallet,
    fromWallet: payer.address,
    amount: tokenUnits(baseUnits, token.decimals),
    tokenKey: token.key,
    customerId,
    idempotencyKey: `test-charge-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`,
  };
  return post<Payment>(`/${mode}/payments`, body);
}

async function settled(read: () => Promise<Payment | null>): Promise<Payment> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const payment = await read();
    if (payment?.status === 'settled') return payment;
    if (payment?.status === 'failed')
      throw new Error(`The charge failed: ${payment.failureReason ?? 'no reason given'}`);
    if (payment?.blockedReason) throw new Error(`The charge is not made: ${payment.blockedReason}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error('The charge is not final yet. See the page Payments.');
}
