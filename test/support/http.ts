import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createAdministration } from '../../src/billing/administration/administration.ts';
import { createMerchants, type NewMerchant } from '../../src/billing/administration/merchants.ts';
import type { Checkout } from '../../src/billing/checkout/checkout.ts';
import { createCustomers } from '../../src/billing/customers/customers.ts';
import { createMembers } from '../../src/billing/members/members.ts';
import { createOffers } from '../../src/billing/offers/offers.ts';
import { type Rates, STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import { createWallets } from '../../src/billing/payout/wallets.ts';
import type { Portal } from '../../src/billing/portal/portal.ts';
import { openForCustomer } from '../../src/billing/portal/sessions.ts';
import { createProofs } from '../../src/billing/proof/proofs.ts';
import { createProofSigner } from '../../src/billing/proof/signer.ts';
import type { ResourceCollection, ResourceDoc } from '../../src/billing/resources/resource.ts';
import { buildCatalog, type Catalog, localEvmTokens } from '../../src/chains/catalog.ts';
import type { Chain, Chains } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import { notFound } from '../../src/errors/fault.ts';
import type { Services } from '../../src/http/deps.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { createPages } from '../../src/pages/pages.ts';
import { pagesPaths } from '../../src/pages/paths.ts';
import { type AppDeps, createApp } from '../../src/service/app.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { AddressGuard } from '../../src/webhooks/address-guard.ts';
import { WebhookEndpoints } from '../../src/webhooks/endpoints.ts';
import type { Poster } from '../../src/webhooks/http-poster.ts';
import { SecretBox } from '../../src/webhooks/secret-box.ts';
import { type LogLine, recordingLog } from '../../stage/recording-log.ts';
import { afterEachFile } from '../runner/after.ts';
import { openWorld, TestClock, type World } from '../webhooks/world.ts';
import { openTestBilling } from './billing.ts';
import { NO_DEPOSITS } from './no-deposits.ts';
import { checkExchange, publishedAt } from './published.ts';

export const STAFF_TOKEN = 'staff-token-of-tests';
export const METRICS_TOKEN = 'metrics-token-of-the-tests';
export const PUBLIC_URL = 'https://pay.example.com';
/** The fee has a wallet on the local EVM chain, but none on Solana. */
const PLATFORM_WALLETS = { evm: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', solana: null } as const;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text. */
  readonly body: unknown;
}

/** A test request. The body is sent as JSON unless it is a string, which is sent unchanged. */
interface Ask {
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

/** A real HTTP server over the real catalog, a store, and the real machines, whose chains do nothing by themselves. */
export interface HttpHarness {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly deps: AppDeps;
  /** Documents whose outboxes were passed on, as they were then. */
  readonly committed: { readonly collection: ResourceCollection; readonly doc: ResourceDoc }[];
  /** Merchants whose deferred charges were to be checked. */
  readonly reinstated: readonly string[];
  readonly logged: readonly LogLine[];
  /** Logs events and delivers them, but gets none from the API's calls. */
  readonly webhooks: World;
  /** The clock stands still until it is set. */
  now: Date;
  rates: Rates;
  merchant(name?: string): Promise<NewMerchant>;
  /** A call of the API (`/offers`); request and answer are checked against the published document. */
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  /** A request of any other path, unchecked. */
  send(method: string, path: string, ask?: Ask): Promise<Reply>;
  stop(): Promise<void>;
}

const running = new Set<HttpServer>();

afterEachFile(async () => {
  for (const server of running) await server.stop(0);
  running.clear();
});

/** `change` replaces parts for the test; `store` is a memory store by default. */
export async function startHttp(
  change: (deps: AppDeps, webhooks: World) => AppDeps = (deps) => deps,
  given: Store | null = null,
): Promise<HttpHarness> {
  const state = { now: new Date('2030-01-15T10:00:00.000Z'), rates: staticRates(STATIC_RATES) };
  const store = given ?? openMemoryStore({ now: () => state.now });
  const committed: HttpHarness['committed'] = [];
  const reinstated: string[] = [];
  const { log, lines: logged } = recordingLog();
  const catalog = testCatalog();
  const chains = testChains();
  const shared = {
    store,
    clock: () => state.now,
    catalog,
    chains,
    rates: { usdPer: (currency: string) => state.rates.usdPer(currency) },
    onCommitted: (collection: ResourceCollection, doc: ResourceDoc) => {
      committed.push({ collection, doc });
    },
  };
  const wallets = createWallets(shared);
  const webhooks = openWorld({ store, clock: new ClockOf(shared.clock), resolve: async () => [] });
  const services: Services = {
    merchants: createMerchants({ ...shared, records: store.records, feeBps: 100, onCreated: async () => {} }),
    offers: createOffers(shared),
    wallets,
    customers: createCustomers({ ...shared, completed: async () => {} }),
    proofs: createProofs({
      ...shared,
      chainReaders: [],
      signer: createProofSigner(Buffer.alloc(32, 7)),
      retiredKeys: [],
    }),
    checkout: NO_CHECKOUT,
    members: createMembers({ records: store.records, clock: shared.clock }),
    portal: {
      ...NO_PORTAL,
      openFor: (tenant, id, returnUrl) => openForCustomer(shared, tenant, id, returnUrl),
    },
    webhooks: new WebhookEndpoints({
      records: store.records,
      clock: shared.clock,
      guard: publicNames(),
      poster: NO_POSTER,
      secrets: new SecretBox(null),
    }),
    events: webhooks.events,
    administration: createAdministration({
      ...shared,
      wallets,
      platformWallets: PLATFORM_WALLETS,
      onReinstated: (merchantId) => {
        reinstated.push(merchantId);
      },
    }),
  };
  const own: AppDeps = {
    ...shared,
    ...openTestBilling({ ...shared, log }, store).deps,
    services,
    log,
    config: { publicUrl: PUBLIC_URL, trustProxyHops: 0, walletConnect: null },
    pages: createPages({ paths: pagesPaths(), log }),
    staff: { tokenHash: createHash('sha256').update(STAFF_TOKEN).digest('hex'), name: null },
    metricsTokenHash: createHash('sha256').update(METRICS_TOKEN).digest('hex'),
    devnet: () => null,
    answered: () => undefined,
    isReady: async () => true,
    health: async () => ({ status: 'ok', details: {} }),
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
  };
  const deps = change(own, webhooks);
  const server = await startHttpServer({
    app: createApp(deps),
    host: '127.0.0.1',
    port: 0,
    log: deps.log,
    stopping: new AbortController(),
  });
  running.add(server);
  const url = `http://127.0.0.1:${server.port}`;
  const send: HttpHarness['send'] = (method, path, ask) => fetchJson(`${url}${path}`, method, ask ?? {});
  return Object.assign(state, {
    url,
    port: server.port,
    store,
    catalog,
    deps,
    committed,
    reinstated,
    logged,
    webhooks,
    merchant: (name = 'A shop') => deps.services.merchants.create({ name }),
    send,
    call: async (method: string, path: string, ask?: Ask) => {
      const reply = await send(method, `/v1${path}`, ask);
      checkExchange(publishedAt(PUBLIC_URL), { method, path, body: ask?.body }, reply);
      return reply;
    },
    stop: async () => {
      running.delete(server);
      await webhooks.webhooks.sender.stop(0);
      await server.stop(0);
    },
  });
}

/** The clock of the harness, for parts with their own clocks. */
class ClockOf extends TestClock {
  override readonly now: () => Date;

  constructor(now: () => Date) {
    super();
    this.now = now;
  }
}

/** Sells nothing: tests of the checkout bring the real one. */
const NO_CHECKOUT: Checkout = {
  offer: nowhere,
  challenge: nowhere,
  open: nowhere,
  session: nowhere,
  refundTo: nowhere,
  authorization: nowhere,
  request: nowhere,
  requestOfLink: nowhere,
  challengeAuthorization: nowhere,
  authorize: nowhere,
  sessionApproval: nowhere,
  linkApproval: nowhere,
};

/** Opens links, and nothing else: tests of the portal bring the real one. */
const NO_PORTAL: Omit<Portal, 'openFor'> = {
  chains: () => [],
  challenge: nowhere,
  signIn: nowhere,
  session: async () => null,
  end: nowhere,
  subscriptions: nowhere,
  subscription: nowhere,
  payments: nowhere,
  proof: nowhere,
  cancel: nowhere,
  resume: nowhere,
  authorize: nowhere,
  revocation: nowhere,
};

function nowhere(): Promise<never> {
  return Promise.reject(notFound());
}

/** The chains and tokens of an installation with the local EVM devnet. */
export function testCatalog(): Catalog {
  const tokens = localEvmTokens().map(({ ticker, decimals }, index) => ({
    ticker,
    decimals,
    address: `0x${String(index + 1).padStart(40, '0')}`,
  }));
  return buildCatalog({ localEvm: { tokens } });
}

/**
 * The local EVM chain is enabled; Base Sepolia is known and has no router. Operators are made from merchant and mode.
 */
export function testChains(): Chains {
  const withoutRouter = (): string => {
    throw new Error('Chain 84532 has no operators: ROUTER_84532 is not configured');
  };
  return createChains([testChain(31337, true, testOperator), testChain(84532, false, withoutRouter)]);
}

function testChain(chainId: number, enabled: boolean, operatorFor: Chain['operatorFor']): Chain {
  return {
    chainId,
    family: 'evm',
    enabled,
    router: null,
    routers: [],
    operatorFor,
    readAllowances: async () => [],
    acceptsSignature: async () => false,
    permits: null,
    approvals: null,
    ...NO_DEPOSITS,
    whyUnsuitable: async () => null,
    parseAddress: (address) => address,
    wake: () => {},
    start: async () => {},
    stop: async () => {},
    health: async () => ({ chainId, label: 'A chain', enabled, trouble: null, head: 1, open: 0, senders: [] }),
  };
}

export function testOperator(merchantId: string, mode: string): string {
  return `0x${createHash('sha256').update(`${merchantId}/${mode}`).digest('hex').slice(0, 40)}`;
}

/** The id of the resource in a reply. */
export function idOf({ body }: Reply): string {
  return z.object({ id: z.string() }).parse(body).id;
}

/** The id of the first price in a value, such as the answer to a new offer. Throws if there is none. */
export function priceIdOf(shown: unknown): string {
  const text = JSON.stringify(shown);
  const [id] = /price_[0-9a-z]{26}/.exec(text) ?? [];
  if (id === undefined) throw new Error(`no price in ${text}`);
  return id;
}

/** The ids of the resources in a list under this key. */
export function idsOf({ body }: Reply, key: string): string[] {
  const list = z.object({ [key]: z.array(z.object({ id: z.string() })) }).parse(body)[key];
  return (list ?? []).map(({ id }) => id);
}

/** Reaches nobody: tests of deliveries bring the real one. */
export const NO_POSTER: Poster = {
  post: async () => ({ status: null, error: 'Nobody is reached', body: null }),
  close: async () => {},
};

/** Every name resolves to one public address. */
function publicNames(): AddressGuard {
  return new AddressGuard({ resolve: async () => ['93.184.216.34'], allowLoopback: false });
}

async function fetchJson(url: string, method: string, { key, body, headers = {} }: Ask): Promise<Reply> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(key === undefined ? {} : { 'X-API-Key': key }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
}
