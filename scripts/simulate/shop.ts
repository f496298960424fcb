import type { Tenant } from '../../src/billing/services.ts';
import type { Split } from '../../src/store/collections.ts';
import type { Random } from '../crashtest/random.ts';
import type { SimEvm } from './evm/node.ts';
import type { Worker } from './worker.ts';

/** What a subscription can be to. */
interface Plan {
  readonly interval: 'day' | 'week' | 'month';
  readonly intervalCount: number;
  readonly trialDays: number | null;
  readonly maxCycles: number | null;
  readonly maxFailedCycles: number | null;
  readonly splits: boolean;
  readonly quantity: number | null;
}

const PLAIN: Plan = {
  interval: 'month',
  intervalCount: 1,
  trialDays: null,
  maxCycles: null,
  maxFailedCycles: null,
  splits: false,
  quantity: null,
};

const PLANS: readonly Plan[] = [
  PLAIN,
  { ...PLAIN, interval: 'week', intervalCount: 2 },
  { ...PLAIN, interval: 'week', splits: true },
  { ...PLAIN, interval: 'day', intervalCount: 10, trialDays: 8 },
  { ...PLAIN, interval: 'day', intervalCount: 5, maxCycles: 3 },
  { ...PLAIN, interval: 'week', maxFailedCycles: 2, quantity: 1 },
];

/** What every plan costs: as the API takes it, and in base units. */
export const PRICE = { amount: '10.00', baseUnits: 10_000_000n } as const;

export const TOKEN_KEY = 'usdc-local-evm';

/** A payer's wallet and the customer whose it is. */
export interface Payer {
  readonly wallet: string;
  readonly customerId: string;
}

/** A merchant with everything that it needs before its first sale. */
export interface Shop {
  readonly tenant: Tenant;
  readonly payout: string;
  readonly splitTo: string;
  readonly priceIds: readonly string[];
  readonly payers: readonly Payer[];
  /** There is an offer of which there are fewer units than payers. */
  readonly sellsOut: boolean;
}

export const RECEIVER_URL = 'https://receiver.example/hook';

const GRANTED = 10n ** 12n;

export interface ShopOptions {
  readonly payers: number;
  /** Gets the signing secret before the first event is sent. */
  readonly onSecret: (secret: string) => void;
}

/** Opens it while nothing goes wrong. Payers have plenty, and have approved. */
export async function openShop(
  { services }: Pick<Worker, 'services'>,
  evm: SimEvm,
  story: Random,
  { payers: payerCount, onSecret }: ShopOptions,
): Promise<Shop> {
  const { merchant } = await services.merchants.create({ name: 'A simulated shop' });
  const tenant: Tenant = { merchantId: merchant._id, mode: 'test' };
  const payout = evm.stranger();
  const splitTo = evm.stranger();
  await services.webhooks.setEndpoint(tenant, { url: RECEIVER_URL, extraEvents: story.next() < 0.3 });
  const { secret } = await services.webhooks.rotateSecret(tenant, { overlapSeconds: 0 });
  onSecret(secret);
  await services.wallets.register(tenant, { tokenKey: TOKEN_KEY, receiverWallet: payout });
  const priceIds: string[] = [];
  const plans = drawn(story);
  for (const plan of plans) priceIds.push(await offerOf(services, tenant, plan, splitTo));
  const payers: Payer[] = [];
  for (let index = 0; index < payerCount; index += 1) {
    const wallet = evm.stranger();
    evm.mint(wallet, GRANTED);
    evm.approve(wallet, tenant.merchantId, GRANTED);
    payers.push({ wallet, customerId: await customerOf(services, tenant, wallet) });
  }
  evm.mine();
  return { tenant, payout, splitTo, priceIds, payers, sellsOut: plans.some(({ quantity }) => quantity !== null) };
}

/** Two of the plans: offers are for trying out schedules, and each costs a moment. */
function drawn(story: Random): Plan[] {
  const first = story.pick(PLANS);
  return [first, story.pick(PLANS.filter((plan) => plan !== first))];
}

async function offerOf(services: Worker['services'], tenant: Tenant, plan: Plan, splitTo: string): Promise<string> {
  const splitEvm: Split[] | null = plan.splits ? [{ address: splitTo, percentage: '12.5' }] : null;
  const { interval, intervalCount, trialDays, maxCycles, maxFailedCycles, quantity } = plan;
  const { resource } = await services.offers.create(tenant, {
    ...OFFER,
    name: `Every ${intervalCount} ${interval}`,
    availableQuantity: quantity,
    splitEvm,
    pricing: [
      {
        label: null,
        amount: PRICE.amount,
        currency: 'USD',
        acceptedTokens: [TOKEN_KEY],
        billing: { type: 'recurring', interval, intervalCount },
        trialDays,
        maxCycles,
        maxFailedCycles,
        merchantDestinationWallet: null,
      },
    ],
  });
  const [option] = resource.pricing;
  if (!option) throw new Error('the offer was made without its price');
  return option.id;
}

async function customerOf(services: Worker['services'], tenant: Tenant, wallet: string): Promise<string> {
  const { resource } = await services.customers.create(tenant, {
    wallets: [{ chainFamily: 'evm', address: wallet }],
    merchantReferenceId: null,
    email: null,
    phone: null,
    name: null,
    idempotencyKey: null,
    requestHash: '',
  });
  return resource._id;
}

const OFFER = {
  description: null,
  imageUrl: null,
  identifier: null,
  productRef: null,
  active: true,
  expiresAt: null,
  afterCompletion: {},
  features: [],
  collectFields: {},
  allowedPaymentMethods: {},
  metadata: {},
  reference: null,
  splitSolana: null,
  idempotencyKey: null,
  requestHash: '',
} as const;
