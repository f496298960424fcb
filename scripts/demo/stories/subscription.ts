import { parseUnits } from 'ethers';
import type { Payment } from '../merchant.ts';
import { money, TOKEN_KEY } from '../shop.ts';
import type { Stage } from '../stage.ts';
import type { Story, Told } from '../stories.ts';

const PRICE = '9.90';
/** What a careful payer approves at once: a year. */
const CYCLES_APPROVED = 12n;
const CYCLES = 3;

/** A monthly subscription: approved, charged three times, canceled. */
export const subscription: Story = {
  name: 'subscription',
  title: 'A monthly subscription, from sign-up to cancel',
  tell,
};

async function tell(stage: Stage): Promise<Told> {
  const { customerId, id } = await subscribe(stage);
  await authorize(stage, id);
  for (let cycle = 2; cycle <= CYCLES; cycle += 1) await renew(stage, id, cycle);
  await cancel(stage, id);
  return {
    subscriptionIds: [id],
    events: {
      [TOKEN_KEY]: ['wallet.updated'],
      [customerId]: ['customer.created'],
      [id]: [
        'subscription.created',
        'payment.succeeded',
        'subscription.active',
        ...Array.from({ length: CYCLES - 1 }, () => 'payment.succeeded'),
        'subscription.canceled',
      ],
    },
  };
}

/** Offer, customer, subscription: nothing of it touches the chain. */
async function subscribe({ shop, payer, world, timeline, expect }: Stage): Promise<{ customerId: string; id: string }> {
  const { merchant, token } = shop;
  const offer = await merchant.createOffer({
    name: 'Coffee Club',
    pricing: [{ amount: PRICE, acceptedTokens: [TOKEN_KEY], billing: { type: 'recurring', interval: 'month' } }],
  });
  const [price] = offer.pricing;
  timeline.add({ at: now(), what: 'Offer: Coffee Club, monthly', amount: PRICE });
  const frozen = price?.acceptedTokens.find(({ tokenKey }) => tokenKey === TOKEN_KEY)?.amountBaseUnits;
  expect.equal('The price is frozen in base units', frozen, parseUnits(PRICE, token.decimals).toString());

  const customerId = await merchant.createCustomer({
    name: 'Ada',
    wallets: [{ chainFamily: 'evm', address: payer.address }],
  });
  timeline.add({ at: now(), what: 'Customer: Ada' });
  await world.receiver.until(`customer.created of ${customerId}`, ({ data }) => data['customerId'] === customerId);

  const { id, status } = await merchant.subscribe({ priceId: price?.id, customerId });
  timeline.add({ at: now(), what: 'Ada subscribes', status, amount: PRICE });
  expect.equal('A new subscription is pending', status, 'pending');
  await world.receiver.until(`subscription.created of ${id}`, isOf(id, 'subscription.created'));
  return { customerId, id };
}

/** The payer approves the merchant's operator on the chain; the first charge follows by itself. */
async function authorize(stage: Stage, id: string): Promise<void> {
  const { shop, payer, world, timeline, expect } = stage;
  const { merchant, token, operator } = shop;
  const allowance = parseUnits(PRICE, token.decimals) * CYCLES_APPROVED;
  const txHash = await payer.approve(token.address, operator, allowance);
  timeline.add({ at: now(), what: `Ada approves ${CYCLES_APPROVED} cycles`, amount: money(allowance, token), txHash });

  const active = world.receiver.until(`subscription.active of ${id}`, isOf(id, 'subscription.active'));
  await timeline.waitFor('waiting for the service to see it and to charge', active);
  const payment = await charged(stage, id, 1);
  const after = await merchant.status(id);
  timeline.add({ at: payment.periodStart, what: "Ada's subscription", status: after.status });
  expect.equal('The first charge makes it active', after.status, 'active');
  expect.equal('The allowance is confirmed', after.allowanceConfirmed, true);
  expect.equal('The current period ends where the next charge falls due', after.currentPeriodEnd, payment.periodEnd);
}

/** A month passes on the subscription's own clock; the charge is as real as the first. */
async function renew(stage: Stage, id: string, cycle: number): Promise<void> {
  const { shop, timeline, expect } = stage;
  const { merchant } = shop;
  const { currentPeriodEnd: due } = await merchant.status(id);
  const advanced = await timeline.waitFor(`moving the subscription's clock to ${due}`, merchant.advance(id));
  expect.equal(`Advancing to cycle ${cycle} is complete`, advanced.complete, true);
  expect.equal(
    `Cycle ${cycle} falls due, settles, and nothing else happens`,
    advanced.steps.map(({ from, to, outcome }) => ({ from, to, outcome })),
    [{ from: 'active', to: 'active', outcome: 'settled' }],
  );
  const payment = await charged(stage, id, cycle);
  expect.equal(`Cycle ${cycle} begins where the one before ended`, payment.periodStart, due);
}

async function cancel({ shop, world, timeline, expect }: Stage, id: string): Promise<void> {
  const { merchant } = shop;
  const [last] = (await merchant.payments(id)).slice(-1);
  const { status } = await merchant.cancel(id);
  timeline.add({ at: last?.periodStart ?? now(), what: 'The merchant cancels', status });
  expect.equal('A canceled subscription is canceled', status, 'canceled');
  await world.receiver.until(`subscription.canceled of ${id}`, isOf(id, 'subscription.canceled'));
  const after = await merchant.status(id);
  expect.equal('Every cycle is counted, and no other', after.cyclesCompleted, CYCLES);
}

/** The payment of the newest cycle, once its webhook has come too. */
async function charged({ shop, world, timeline, expect }: Stage, id: string, cycle: number): Promise<Payment> {
  const payments = await shop.merchant.payments(id);
  expect.equal(`There are as many payments as cycles`, payments.length, cycle);
  const payment = payments.at(-1);
  expect.equal(`Cycle ${cycle} is settled`, payment?.status, 'settled');
  if (!payment) throw new Error(`cycle ${cycle} has no payment`);
  expect.equal(`Cycle ${cycle} costs what the offer says`, payment.amount, PRICE);
  const { periodStart: at, status, amount, pullTxHash: txHash } = payment;
  timeline.add({ at, what: `Charge of cycle ${cycle}`, status, amount, ...(txHash === null ? {} : { txHash }) });
  const invoiceId = payment.id.replace('pay_', 'sub-pay-');
  await world.receiver.until(`payment.succeeded of ${invoiceId}`, ({ data }) => data['invoiceId'] === invoiceId);
  return payment;
}

function isOf(subscriptionId: string, event: string) {
  return (envelope: { readonly event: string; readonly data: { readonly [key: string]: unknown } }) =>
    envelope.event === event && envelope.data['subscriptionId'] === subscriptionId;
}

function now(): string {
  return new Date().toISOString();
}
