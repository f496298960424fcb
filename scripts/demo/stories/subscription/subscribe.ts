import { parseUnits } from 'ethers';
import { ScriptError } from '../../../lib/script.ts';
import { TOKEN_KEY } from '../../shop.ts';
import type { Stage } from '../../stage.ts';
import { ofSubscription } from './events.ts';
import type { Plan, Subscribed } from './plan.ts';

/** Resolves with the customer's id. */
export async function createCustomer({ shop, payer, world, timeline }: Stage): Promise<string> {
  const { id: customerId } = await shop.merchant.api.customers.create({
    name: 'Ada',
    wallets: [{ chainFamily: 'evm', address: payer.address }],
  });
  timeline.add({ at: now(), what: 'Customer: Ada' });
  await world.receiver.until(`customer.created of ${customerId}`, ({ data }) => data['customerId'] === customerId);
  return customerId;
}

/** Makes an offer and the customer's subscription, without any transaction on the chain. */
export async function subscribe(stage: Stage, plan: Plan, customerId: string): Promise<Subscribed> {
  const { shop, world, timeline, expect } = stage;
  const priceId = await offer(stage, plan);
  const { id, status } = await shop.merchant.api.subscriptions.create({ priceId, customerId });
  timeline.add({ at: now(), what: 'Ada subscribes', status, amount: plan.price });
  expect.equal('A new subscription is pending', status, 'pending');
  await world.receiver.until(`subscription.created of ${id}`, ofSubscription(id, 'subscription.created'));
  return { id, plan };
}

/** Resolves with the id of its only price. */
async function offer({ shop, timeline, expect }: Stage, plan: Plan): Promise<string> {
  const { merchant, token } = shop;
  const { maxCycles, maxFailedCycles = null } = plan;
  const { pricing } = await merchant.api.offers.create({
    name: plan.offer,
    pricing: [
      {
        amount: plan.price,
        acceptedTokens: [TOKEN_KEY],
        billing: { type: 'recurring', interval: 'month' },
        maxCycles,
        maxFailedCycles,
      },
    ],
  });
  const [price] = pricing;
  if (!price) throw new ScriptError(`The offer ${plan.offer} has no price`);
  const term = maxCycles === null ? 'monthly' : `${maxCycles} months`;
  timeline.add({ at: now(), what: `Offer: ${plan.offer}, ${term}`, amount: plan.price });
  const frozen = price.acceptedTokens.find(({ tokenKey }) => tokenKey === TOKEN_KEY)?.amountBaseUnits;
  expect.equal('The price is frozen in base units', frozen, parseUnits(plan.price, token.decimals).toString());
  const limits = { maxCycles: price.maxCycles, maxFailedCycles: price.maxFailedCycles };
  expect.equal('The price has the limits of the plan', limits, { maxCycles, maxFailedCycles });
  return price.id;
}

function now(): string {
  return new Date().toISOString();
}
