import { useState } from 'preact/hooks';
import { hasDevnet, type LocalWallet } from '../../pay/devnet.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { shifted } from '../../ui/sum.ts';
import { useAction } from '../../ui/use-action.ts';
import { get, post } from '../dashboard-api.ts';
import type {
  Customer,
  Customers,
  Offer,
  Payment,
  Payments,
  PricingOption,
  Subscription,
  Wallets,
} from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { type TokenChoice, tokenChoices } from '../shared/currencies.ts';
import { payersOf, useDevnet } from '../shared/test-wallets.ts';
import { useChains } from '../shared/use-chains.ts';

export interface TestChargeStepProps {
  readonly mode: Mode;
  /** The newest test offer. */
  readonly offer: Offer;
  readonly onPaid: () => void;
}

/** The first charge in test mode: by a test wallet of this machine, or by the user's own wallet at the checkout. */
export function TestChargeStep({ mode, offer, onPaid }: TestChargeStepProps) {
  const devnet = useDevnet();
  const chains = useChains(mode);
  const [chosen, setChosen] = useState<string | null>(null);
  const { isBusy, problem, act } = useAction();
  if (!hasDevnet()) return <AtTheCheckout offer={offer} onPoll={onPaid} />;
  const price = offer.pricing.find(({ active, trialDays }) => active && trialDays === null);
  const accepted = price?.acceptedTokens.map(({ tokenKey }) => tokenKey) ?? [];
  const token = tokenChoices(chains).find(
    ({ key, family }) => accepted.includes(key) && payersOf(devnet, family).length > 0,
  );
  if (devnet === null || chains.length === 0) return <p class="soft">Loading…</p>;
  if (price === undefined || token === undefined) return <AtTheCheckout offer={offer} onPoll={onPaid} />;
  const payers = payersOf(devnet, token.family);
  const payer = payers.find(({ name }) => name === chosen) ?? payers[0];
  if (payer === undefined) return null;
  const charge = async () => {
    await makeTestCharge({ mode, price, token, payer });
    onPaid();
  };
  return (
    <>
      <p>
        A test wallet of this machine buys {offer.name} for {price.amount} {price.currency}.
      </p>
      <div class="form stack">
        <Select
          label="Payer"
          value={payer.name}
          onChange={setChosen}
          options={payers.map(({ name }) => [name, name] as const)}
        />
        <p class="small soft">{payer.behaviour}</p>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{isBusy && <p>The charge is on its way to the chain. This takes some seconds.</p>}</StatusRegion>
      <div>
        <Button variant="primary" busy={isBusy} onClick={() => void act(charge)}>
          Make a test charge
        </Button>
      </div>
    </>
  );
}

function AtTheCheckout({ offer, onPoll }: { readonly offer: Offer; readonly onPoll: () => void }) {
  return (
    <>
      <p>
        Buy {offer.name} yourself: <a href={offer.checkoutUrl}>open its checkout</a> and pay with a wallet that has test
        tokens.
      </p>
      <div>
        <Button onClick={onPoll}>I have paid</Button>
      </div>
    </>
  );
}

/** A local charge is final within seconds, on a slow machine later. */
const PATIENCE_MS = 120_000;
const POLL_MS = 700;

interface TestCharge {
  readonly mode: Mode;
  readonly price: PricingOption;
  readonly token: TokenChoice;
  readonly payer: LocalWallet;
}

/** Sells the price to a test wallet, and resolves with the settled payment. Throws with the reason if it fails. */
async function makeTestCharge(charge: TestCharge): Promise<Payment> {
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
    amount: shifted(BigInt(baseUnits), token.decimals),
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
