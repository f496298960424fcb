import { createMerchant } from '../../src/billing/administration/merchants.ts';
import { createCustomer } from '../../src/billing/customers/customers.ts';
import { createOffer } from '../../src/billing/offers/offers.ts';
import { registerWallet } from '../../src/billing/payout/wallets.ts';
import type { ChainFamily } from '../../src/store/collections.ts';
import type { Tenant } from '../../src/store/documents.ts';
import type { Random } from '../crashtest/random.ts';
import type { SimulatedChain, Till } from './simulated-chain.ts';
import type { Worker } from './worker.ts';

/** A plan that a payer can subscribe to. */
export interface Plan {
  readonly interval: 'day' | 'week' | 'month';
  readonly intervalCount: number;
  readonly trialDays: number | null;
  readonly maxCycles: number | null;
  readonly maxFailedCycles: number | null;
  readonly splits: boolean;
  readonly quantity: number | null;
  /** By use it is what happens above the cap. */
  readonly model: 'fixed' | 'per_unit' | keyof typeof METERS;
}

export const PLAIN: Plan = {
  interval: 'month',
  intervalCount: 1,
  trialDays: null,
  maxCycles: null,
  maxFailedCycles: null,
  splits: false,
  quantity: null,
  model: 'fixed',
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

/** The limits of every quantity. */
export const QUANTITIES = { least: 1, most: 8 } as const;

/** The prices of a unit, of an offer's first option and of its second one: as the API takes them, and in base units. */
const UNIT_PRICES = [
  { amount: '2.50', baseUnits: 2_500_000n },
  { amount: '1.75', baseUnits: 1_750_000n },
] as const;

/** A price by use, in base units. */
export interface Meter {
  readonly unit: bigint;
  readonly cap: bigint;
  /** The most of any 30 days; absent: no such limit. */
  readonly most?: bigint;
}

/** Above the cap of a price by use, half a dollar a unit. `early`: with a threshold, and a 30-day limit in reach. */
const METERS = {
  carry: { capAmount: '12.00', meter: { unit: 500_000n, cap: 12_000_000n } },
  refuse: { capAmount: '8.00', meter: { unit: 500_000n, cap: 8_000_000n } },
  early: {
    ...{ capAmount: '12.00', thresholdAmount: '4.00', windowCapAmount: '30.00' },
    meter: { unit: 500_000n, cap: 12_000_000n, most: 30_000_000n },
  },
} as const;
const METERED = { interval: 'day', intervalCount: 2, trialDays: null } as const;

/** The price of the one-time offer: as the API takes it, and in base units. */
export const ONCE = { amount: '25.00', baseUnits: 25_000_000n } as const;

/** No charge by use, or with a coupon, is less. */
export const LEAST = 1_000_000n;

/** A payer: its wallet, the till where it pays, and its customer. */
export interface Payer {
  readonly till: Till;
  readonly wallet: string;
  readonly customerId: string;
  /** It pays at the hosted checkout, and has approved the operator for mandates alone. */
  readonly signs: boolean;
}

/** The order of a payment to the payout wallet of a till. */
export function paymentAt({ chain, payout }: Till, idempotencyKey: string, amount: bigint) {
  const { tokenKey, chainId, family } = chain;
  return {
    tokenKey,
    chainId,
    family,
    amount,
    toWallet: payout,
    idempotencyKey,
    affiliate: null,
    metadata: {},
    requestHash: idempotencyKey,
  } as const;
}

/** A recurring offer. Its second option is what subscriptions migrate to. */
interface Sale {
  readonly offerId: string;
  readonly priceId: string;
  readonly otherPriceId: string;
}

/** A merchant that is ready for its first sale. */
export interface Shop {
  readonly tenant: Tenant;
  readonly tills: readonly Till[];
  readonly sales: readonly Sale[];
  readonly once: Omit<Sale, 'otherPriceId'>;
  readonly payers: readonly Payer[];
  /** The options with a price per unit, and what a unit costs, base units. */
  readonly unitPrices: ReadonlyMap<string, bigint>;
  /** The options that are charged by use. */
  readonly meters: ReadonlyMap<string, Meter>;
  /** True if an offer has fewer units than payers. */
  readonly sellsOut: boolean;
  readonly extraEvents: boolean;
}

/** All that a payer has and allows, base units: enough for a run. */
export const GRANTED = 10n ** 12n;

/** The share of payers that sign. */
const SIGNS = 0.65;

export interface ShopOptions {
  /** A unique name in lower case. */
  readonly name: string;
  readonly payers: number;
  /** Drawn by default. */
  readonly plans?: readonly Plan[];
  /** The share of payers that sign. */
  readonly signing?: number;
  /** Decides which prices vary; absent: none. */
  readonly variety?: { readonly models: readonly Plan['model'][]; readonly random: Random } | null;
  /** Gets the signing secret of the merchant's receiver, by its host, before the first event is sent. */
  readonly secrets: Map<string, string>;
}

/** Opens the shop on all chains before faults start. Payers have enough money, and have approved. */
export async function openShop(
  { billing }: Pick<Worker, 'billing'>,
  chains: readonly SimulatedChain[],
  story: Random,
  { name, payers: payerCount, secrets, signing = SIGNS, variety = null, ...options }: ShopOptions,
): Promise<Shop> {
  const { merchant } = await createMerchant(billing, { name: `The simulated shop ${name}` });
  const tenant: Tenant = { merchantId: merchant._id, mode: 'test' };
  const host = `${name}.example`;
  const extraEvents = story.next() < 0.3;
  await billing.webhooks.setEndpoint(tenant, { url: `https://${host}/hook`, extraEvents });
  const { secret } = await billing.webhooks.rotateSecret(tenant, { overlapSeconds: 0 });
  secrets.set(host, secret);
  const tills = chains.map((chain): Till => {
    return { chain, payout: chain.controls.stranger(), splitTo: chain.controls.stranger() };
  });
  for (const { chain, payout } of tills) {
    await registerWallet(billing, tenant, { tokenKey: chain.tokenKey, receiverWallet: payout });
  }
  const sales: Sale[] = [];
  const plans = options.plans ?? drawn(story);
  const unitPrices = new Map<string, bigint>();
  const meters = new Map<string, Meter>();
  for (const plan of plans) {
    const varies = variety !== null && (sales.length === 0 || variety.random.next() < 0.5);
    const model = varies ? variety.random.pick(variety.models) : 'fixed';
    const sale = await saleOf(billing, tenant, { ...plan, model }, tills);
    sales.push(sale);
    const [first, second] = UNIT_PRICES;
    if (model === 'per_unit') unitPrices.set(sale.priceId, first.baseUnits).set(sale.otherPriceId, second.baseUnits);
    else if (model !== 'fixed') meters.set(sale.priceId, METERS[model].meter);
  }
  const once = await onceOf(billing, tenant, tills);
  const payers: Payer[] = [];
  for (let index = 0; index < payerCount; index += 1) {
    const till = story.pick(tills);
    const { controls } = till.chain;
    const wallet = controls.payer();
    const signs = story.next() < signing;
    controls.mint(wallet, GRANTED);
    await till.chain.settle();
    controls.approve(wallet, { merchantId: tenant.merchantId, isBounded: signs }, GRANTED);
    await till.chain.settle();
    payers.push({ till, wallet, customerId: await customerOf(billing, tenant, till.chain.family, wallet), signs });
  }
  const sellsOut = plans.some(({ quantity }) => quantity !== null);
  return { tenant, tills, sales, once, payers, unitPrices, meters, sellsOut, extraEvents };
}

/** Two of the plans. Two are enough to try schedules, and each takes time. */
function drawn(story: Random): Plan[] {
  const first = story.pick(PLANS);
  return [first, story.pick(PLANS.filter((plan) => plan !== first))];
}

async function saleOf(deps: Worker['billing'], tenant: Tenant, plan: Plan, tills: readonly Till[]): Promise<Sale> {
  // Solana charges cannot be split.
  const [till] = tills.filter(() => plan.splits && tills.every(({ chain }) => chain.family === 'evm'));
  const { resource } = await createOffer(deps, tenant, {
    ...OFFER,
    name: `Every ${plan.intervalCount} ${plan.interval}`,
    availableQuantity: plan.quantity,
    splitEvm: till ? [{ address: till.splitTo, percentage: '12.5' }] : null,
    pricing: [optionOf(plan, tills, 0), optionOf({ ...plan, ...OTHER_RHYTHM, trialDays: null }, tills, 1)],
  });
  const [option, other] = resource.pricing;
  if (!option || !other) throw new Error('the new offer lacks a price');
  return { offerId: resource._id, priceId: option.id, otherPriceId: other.id };
}

const OTHER_RHYTHM = { interval: 'day', intervalCount: 4 } as const;

function optionOf({ model, ...plan }: Plan, tills: readonly Till[], index: 0 | 1) {
  const isMetered = model in METERS;
  const limits = { ...plan, ...(isMetered ? METERED : {}), ...(model === 'early' ? { maxCycles: null } : {}) };
  const { interval, intervalCount, trialDays, maxCycles, maxFailedCycles } = limits;
  const acceptedTokens = tills.map(({ chain }) => chain.tokenKey);
  const billing = { type: 'recurring', interval, intervalCount } as const;
  return { ...OPTION, acceptedTokens, billing, trialDays, maxCycles, maxFailedCycles, ...priceOf(model, index) };
}

function priceOf(model: Plan['model'], index: 0 | 1) {
  switch (model) {
    case 'fixed':
      return {};
    case 'per_unit':
      return { amount: UNIT_PRICES[index].amount, model: MODEL };
    default: {
      const { meter: _, ...terms } = METERS[model];
      const above = model === 'refuse' ? 'refuse' : 'carry';
      return { amount: '0.50', model: { kind: 'metered', ...terms, aboveCap: above } } as const;
    }
  }
}

const MODEL = {
  kind: 'per_unit',
  minQuantity: QUANTITIES.least,
  maxQuantity: QUANTITIES.most,
  quantityChangedBy: 'customer',
} as const;

async function onceOf(deps: Worker['billing'], tenant: Tenant, tills: readonly Till[]): Promise<Shop['once']> {
  const { trialDays, maxCycles, maxFailedCycles } = PLAIN;
  const acceptedTokens = tills.map(({ chain }) => chain.tokenKey);
  const billing = { type: 'one_time', interval: null, intervalCount: null } as const;
  const terms = { acceptedTokens, billing, trialDays, maxCycles, maxFailedCycles };
  const pricing = [{ ...OPTION, ...terms, amount: ONCE.amount }];
  const { resource } = await createOffer(deps, tenant, { ...OFFER, name: 'Once', pricing });
  const [made] = resource.pricing;
  if (!made) throw new Error('the new offer has no price');
  return { offerId: resource._id, priceId: made.id };
}

const OPTION = { label: null, currency: 'USD', merchantDestinationWallet: null, amount: PRICE.amount } as const;

async function customerOf(
  deps: Worker['billing'],
  tenant: Tenant,
  chainFamily: ChainFamily,
  wallet: string,
): Promise<string> {
  const { resource } = await createCustomer(deps, tenant, {
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
  availableQuantity: null,
  splitEvm: null,
  splitSolana: null,
  idempotencyKey: null,
  requestHash: '',
} as const;
