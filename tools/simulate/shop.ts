import type { ChainFamily, Split } from '../../src/store/collections.ts';
import type { Tenant } from '../../src/store/tenant.ts';
import type { Random } from '../crashtest/random.ts';
import type { SimulatedChain, Till } from './simulated-chain.ts';
import type { Worker } from './worker.ts';

/** A plan that a payer can subscribe to. */
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

/** The price of every plan: as the API takes it, and in base units. */
export const PRICE = { amount: '10.00', baseUnits: 10_000_000n } as const;

/** A payer: its wallet, the till where it pays, and its customer. */
export interface Payer {
  readonly till: Till;
  readonly wallet: string;
  readonly customerId: string;
}

/** A merchant that is ready for its first sale. */
export interface Shop {
  readonly tenant: Tenant;
  readonly tills: readonly Till[];
  readonly priceIds: readonly string[];
  readonly payers: readonly Payer[];
  /** True if an offer has fewer units than payers. */
  readonly sellsOut: boolean;
}

const GRANTED = 10n ** 12n;

export interface ShopOptions {
  /** A unique name in lower case. */
  readonly name: string;
  readonly payers: number;
  /** Gets the host and the signing secret of the merchant's receiver before the first event is sent. */
  readonly onReceiver: (host: string, secret: string) => void;
}

/** Opens the shop on all chains before faults start. Payers have enough money, and have approved. */
export async function openShop(
  { services }: Pick<Worker, 'services'>,
  places: readonly SimulatedChain[],
  story: Random,
  { name, payers: payerCount, onReceiver }: ShopOptions,
): Promise<Shop> {
  const { merchant } = await services.merchants.create({ name: `The simulated shop ${name}` });
  const tenant: Tenant = { merchantId: merchant._id, mode: 'test' };
  const host = `${name}.example`;
  await services.webhooks.setEndpoint(tenant, { url: `https://${host}/hook`, extraEvents: story.next() < 0.3 });
  const { secret } = await services.webhooks.rotateSecret(tenant, { overlapSeconds: 0 });
  onReceiver(host, secret);
  const tills = places.map((place): Till => {
    return { place, payout: place.controls.stranger(), splitTo: place.controls.stranger() };
  });
  for (const { place, payout } of tills) {
    await services.wallets.register(tenant, { tokenKey: place.tokenKey, receiverWallet: payout });
  }
  const priceIds: string[] = [];
  const plans = drawn(story);
  for (const plan of plans) priceIds.push(await offerOf(services, tenant, plan, tills));
  const payers: Payer[] = [];
  for (let index = 0; index < payerCount; index += 1) {
    const till = story.pick(tills);
    const { controls } = till.place;
    const wallet = controls.stranger();
    controls.mint(wallet, GRANTED);
    till.place.settle();
    controls.approve(wallet, { merchantId: tenant.merchantId, isBounded: false }, GRANTED);
    till.place.settle();
    payers.push({ till, wallet, customerId: await customerOf(services, tenant, till.place.family, wallet) });
  }
  return { tenant, tills, priceIds, payers, sellsOut: plans.some(({ quantity }) => quantity !== null) };
}

/** Two of the plans. Two are enough to try schedules, and each takes time. */
function drawn(story: Random): Plan[] {
  const first = story.pick(PLANS);
  return [first, story.pick(PLANS.filter((plan) => plan !== first))];
}

async function offerOf(
  services: Worker['services'],
  tenant: Tenant,
  plan: Plan,
  tills: readonly Till[],
): Promise<string> {
  // Solana charges cannot be split.
  const [till] = tills.filter(() => plan.splits && tills.every(({ place }) => place.family === 'evm'));
  const splitEvm: Split[] | null = till ? [{ address: till.splitTo, percentage: '12.5' }] : null;
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
        acceptedTokens: tills.map(({ place }) => place.tokenKey),
        billing: { type: 'recurring', interval, intervalCount },
        trialDays,
        maxCycles,
        maxFailedCycles,
        merchantDestinationWallet: null,
      },
    ],
  });
  const [option] = resource.pricing;
  if (!option) throw new Error('the new offer has no price');
  return option.id;
}

async function customerOf(
  services: Worker['services'],
  tenant: Tenant,
  chainFamily: ChainFamily,
  wallet: string,
): Promise<string> {
  const { resource } = await services.customers.create(tenant, {
    wallets: [{ chainFamily, address: wallet }],
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
