import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createMerchant, type NewMerchant } from '../../src/billing/administration/merchants.ts';
import { type Rates, STATIC_RATES, staticRates } from '../../src/billing/offers/rates.ts';
import type { Catalog } from '../../src/chains/catalog.ts';
import { type HttpServer, startHttpServer } from '../../src/http/server.ts';
import { unreadableClients } from '../../src/http/unreadable-clients.ts';
import { invoicePdfs } from '../../src/invoices/invoice-pdf.ts';
import { createPages, pagesPaths } from '../../src/pages/pages.ts';
import { type AppDeps, createApp } from '../../src/service/app.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { type InProcessOptions, type InProcessService, openInProcess } from '../../stage/in-process-service.ts';
import { type LogLine, recordingLog } from '../../stage/recording-log.ts';
import { afterEachFile } from '../runner/after.ts';
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

/** A real HTTP server over the service in this process, whose chains do nothing by themselves. */
export interface HttpHarness {
  readonly url: string;
  readonly port: number;
  readonly store: LedgerStore;
  readonly catalog: Catalog;
  readonly deps: AppDeps;
  readonly billing: InProcessService;
  readonly logged: readonly LogLine[];
  /** The clock stands still until it is set. */
  now: Date;
  /** Sets the clock ahead by this; a negative one sets it back. */
  later(ms: number): void;
  rates: Rates;
  merchant(name?: string): Promise<NewMerchant>;
  /** A call of the API (`/offers`); request and answer are checked against the published document. */
  call(method: string, path: string, ask?: Ask): Promise<Reply>;
  /** A request of any other path, unchecked. */
  send(method: string, path: string, ask?: Ask): Promise<Reply>;
  stop(): Promise<void>;
}

export interface HttpOptions extends InProcessOptions {
  readonly publicUrl?: string;
  /** Replaces parts of the HTTP side. */
  readonly change?: (deps: AppDeps) => AppDeps;
}

const running = new Set<HttpServer>();

afterEachFile(async () => {
  for (const server of running) await server.stop(0);
  running.clear();
});

/** The server of a test file: it listens before the first test. */
export function useHttp(options: HttpOptions = {}): HttpHarness {
  const http = createHttp(options);
  beforeAll(() => http.listen());
  return http;
}

/** A server of its own. */
export async function startHttp(options: HttpOptions = {}): Promise<HttpHarness> {
  const http = createHttp(options);
  await http.listen();
  return http;
}

/** By default on a memory store, and with a clock that stands still. */
function createHttp({
  change = (deps) => deps,
  publicUrl = PUBLIC_URL,
  ...options
}: HttpOptions): HttpHarness & { listen(): Promise<void> } {
  const state = { now: new Date('2030-01-15T10:00:00.000Z'), rates: staticRates(STATIC_RATES), url: '', port: 0 };
  const { log, lines: logged } = recordingLog();
  const billing = openInProcess({
    clock: () => state.now,
    log,
    rates: { usdPer: (currency) => state.rates.usdPer(currency), source: state.rates.source },
    platformWallets: PLATFORM_WALLETS,
    ...options,
  });
  const pages = createPages({ paths: pagesPaths(), log: billing.deps.log });
  const deps = change({
    ...billing.deps,
    config: { publicUrl, trustProxyHops: 0, walletConnect: null },
    pages,
    invoicePdf: invoicePdfs({ catalog: billing.catalog, pages }),
    staff: { tokenHash: createHash('sha256').update(STAFF_TOKEN).digest('hex'), name: null },
    metricsTokenHash: createHash('sha256').update(METRICS_TOKEN).digest('hex'),
    devnet: () => null,
    unreadable: unreadableClients(),
    answered: () => undefined,
    isReady: async () => true,
    health: async () => ({ status: 'ok', details: {} }),
    metrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  let server: HttpServer | null = null;
  const send: HttpHarness['send'] = (method, path, ask) => fetchJson(`${state.url}${path}`, method, ask ?? {});
  return Object.assign(state, {
    store: billing.store,
    catalog: billing.catalog,
    deps,
    billing,
    logged,
    merchant: (name = 'A shop') => createMerchant(deps, { name }),
    later: (ms: number) => {
      state.now = new Date(state.now.getTime() + ms);
    },
    send,
    call: async (method: string, path: string, ask?: Ask) => {
      const reply = await send(method, `/v1${path}`, ask);
      checkExchange(publishedAt(PUBLIC_URL), { method, path, body: ask?.body }, reply);
      return reply;
    },
    listen: async () => {
      const app = createApp(deps);
      server = await startHttpServer({
        app,
        host: '127.0.0.1',
        port: 0,
        log: deps.log,
        stopping: new AbortController(),
      });
      running.add(server);
      state.port = server.port;
      state.url = `http://127.0.0.1:${state.port}`;
    },
    stop: async () => {
      if (server !== null) running.delete(server);
      await billing.webhooks.sender.stop(0);
      await server?.stop(0);
    },
  });
}

/** An engineer of a merchant, who calls its API with one key; `call` takes another one too. */
export class MerchantCaller {
  readonly http: HttpHarness;
  id: string;
  key: string;

  constructor(http: HttpHarness, id: string, key: string) {
    this.http = http;
    this.id = id;
    this.key = key;
  }

  call(method: string, path: string, body?: unknown, key = this.key): Promise<Reply> {
    return this.http.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  }

  get(path: string, key?: string): Promise<Reply> {
    return this.call('GET', path, undefined, key);
  }

  post(path: string, body: unknown = {}, key?: string): Promise<Reply> {
    return this.call('POST', path, body, key);
  }

  patch(path: string, body: unknown, key?: string): Promise<Reply> {
    return this.call('PATCH', path, body, key);
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.call('DELETE', path, body);
  }
}

/** Another merchant before each test. `key` is its test key. */
export function useMerchant(http: HttpHarness): MerchantCaller & { liveKey: string } {
  const caller = Object.assign(new MerchantCaller(http, '', ''), { liveKey: '' });
  beforeEach(async () => {
    const { merchant, testKey, liveKey } = await http.merchant();
    Object.assign(caller, { id: merchant._id, key: testKey, liveKey });
  });
  return caller;
}

/** How long a request waits for a result. */
const OUTCOME_WAIT_MS = 25_000;

/** The answer to a request whose result never comes: the clock advances until the request stops waiting. */
export async function answerAtDeadline(http: HttpHarness, asked: Promise<Reply>): Promise<Reply> {
  let isAnswered = false;
  const answer = asked.finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    http.now = new Date(http.now.getTime() + OUTCOME_WAIT_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return answer;
}

/** Expects that the request was refused: with this status, and with a body that has this error and nothing else. */
export function expectError({ status, body }: Reply, expected: number, error: unknown): void {
  expect([status, body]).toEqual([expected, { error }]);
}

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

/** The cookie that a browser would send back after a reply. */
export function cookieOf({ headers }: Reply): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** The ids of the resources in a list under this key. */
export function idsOf({ body }: Reply, key: string): string[] {
  const list = z.object({ [key]: z.array(z.object({ id: z.string() })) }).parse(body)[key];
  return (list ?? []).map(({ id }) => id);
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
