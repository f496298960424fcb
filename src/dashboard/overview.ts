import { z } from 'zod';
import { keysOf } from '../billing/administration/merchants.ts';
import { listOffers } from '../billing/offers/offers.ts';
import { listWallets } from '../billing/payout/wallets.ts';
import { revenueOf } from '../billing/revenue/revenue.ts';
import { countSubscriptions } from '../billing/subscriptions/subscriptions.ts';
import type { CatalogChain } from '../chains/catalog.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { mode } from '../http/schemas.ts';
import type { Mode, Tenant } from '../store/documents.ts';
import { tenantStore } from '../store/tenant.ts';
import { type AlertFacts, alertsOf, COUNTED_MAX } from './alerts.ts';
import { dashboardEndpoint } from './endpoint.ts';
import { figuresOf } from './figures.ts';
import { tokenText } from './token-text.ts';
import { type Overview, overviewSchema } from './wire.ts';

export const getOverview = dashboardEndpoint({
  summary: 'Get what needs the people of the merchant, the figures of 30 days, and what can be charged',
  query: z.object({ mode }),
  responses: { 200: overviewSchema },
  handle: async ({ query, caller, now }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: query.mode };
    const [facts, figures] = await Promise.all([factsOf(deps, tenant, now), figuresIn(deps, tenant, now)]);
    return answer(200, { alerts: alertsOf(facts), figures, ...chargeable(deps, facts) });
  },
});

/** More offers are not looked at. */
const OFFERS_MAX = 100;

async function factsOf(deps: HttpDeps, tenant: Tenant, now: Date): Promise<AlertFacts> {
  const { mode } = tenant;
  const count = (status: 'failed' | 'retrying') =>
    tenantStore(deps.store, tenant).count('events', { status }, COUNTED_MAX + 1);
  const [offers, wallets, keys, failed, retrying] = await Promise.all([
    listOffers(deps, tenant, { active: true, limit: OFFERS_MAX, start: 0 }),
    listWallets(deps, tenant),
    keysOf(deps.store.records, tenant.merchantId),
    count('failed'),
    count('retrying'),
  ]);
  const own = keys.filter((key) => key.mode === mode && key.revokedAt === null);
  const textOf = (tokenKey: string) => tokenText(deps.catalog, tokenKey);
  const enabled = new Map(
    shownChains(deps, mode)
      .filter((chain) => isEnabled(deps, chain, mode))
      .flatMap(({ tokens }) => tokens.map(({ key }) => [key, textOf(key)] as const)),
  );
  return { ...{ mode, now, wallets, failed, retrying, enabled }, tokenText: textOf, offers: offers.items, keys: own };
}

/** Testnets take test keys only. */
function shownChains({ catalog }: HttpDeps, mode: Mode): readonly CatalogChain[] {
  return catalog.chains.filter(({ testnet }) => mode === 'test' || !testnet);
}

function isEnabled({ catalog, chains }: HttpDeps, { chainId }: CatalogChain, mode: Mode): boolean {
  const playing = catalog.playedBy(chainId, mode);
  return playing !== null && chains.get(playing)?.enabled === true;
}

function chargeable(deps: HttpDeps, { mode, enabled, wallets, offers }: AlertFacts) {
  const paid = new Set(wallets.map(({ tokenKey }) => tokenKey));
  const takes = (tokenKey: string) => (offer: AlertFacts['offers'][number]) =>
    offer.pricing.some(
      ({ active, acceptedTokens }) => active && acceptedTokens.some((each) => each.tokenKey === tokenKey),
    );
  const tokens = [...enabled].map(([key, text]) => ({
    ...{ key, text, hasWallet: paid.has(key), offers: offers.filter(takes(key)).length },
  }));
  const closedChains = shownChains(deps, mode).filter((chain) => !isEnabled(deps, chain, mode));
  return { tokens, closedChains: closedChains.map(({ label }) => label) };
}

const DAY_MS = 86_400_000;
const DAYS = 30;

async function figuresIn(deps: HttpDeps, tenant: Tenant, now: Date): Promise<Overview['figures']> {
  const gte = new Date(now.getTime() - DAYS * DAY_MS);
  const [revenue, approvalMissing, balanceMissing] = await Promise.all([
    revenueOf(deps, tenant, { unit: 'month', offerId: null, created: { gte } }),
    countSubscriptions(deps, tenant, { attention: 'approval_missing' }),
    countSubscriptions(deps, tenant, { attention: 'balance_missing' }),
  ]);
  const atRisk = { approval_missing: approvalMissing.count, balance_missing: balanceMissing.count };
  return figuresOf(revenue, atRisk, (tokenKey) => deps.catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey);
}
