import { z } from 'zod';
import { Connection } from './connection.ts';
import { jsonIn } from './judge.ts';
import { evmAddress, type Known, learned, type Token } from './known.ts';
import type { Owners, Tenant } from './tenants.ts';
import type { FuzzWorld, Merchant } from './world.ts';

export type Mode = Tenant['mode'];
export type OfModes<T> = Readonly<Record<Mode, T>>;

const DEADLINE_MS = 60_000;

/** Sends an ordinary request over a connection of its own, and throws without a success. Returns the answer's body. */
export async function ask(
  world: FuzzWorld,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  world.tick();
  const connection = new Connection(world.port);
  const outcome = await connection.send(ordinaryRequest(method, path, key, body), DEADLINE_MS);
  connection.close();
  if (typeof outcome === 'object' && outcome.status < 300) return jsonIn(outcome.body);
  const answer = typeof outcome === 'object' ? `${outcome.status} ${outcome.body.toString('utf8')}` : outcome;
  throw new Error(`${method} ${path} was answered with ${answer}; a success was expected`);
}

export function ordinaryRequest(method: string, path: string, key: string, body?: object) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = [`${method} /v1${path} HTTP/1.1`, 'Host: 127.0.0.1', `X-API-Key: ${key}`];
  const bytes = Buffer.from([...head, `Content-Length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
  return { bytes, isLast: false, isHead: false, isSound: true };
}

const withId = z.object({ id: z.string() });

export function idOf(body: unknown): string {
  return withId.parse(body).id;
}

const currencies = z.object({
  chains: z.array(z.object({ family: z.enum(['evm', 'solana']), tokens: z.array(z.object({ key: z.string() })) })),
});

/** The tokens that a key may use: EVM tokens first, because the local chain can charge them. */
export async function tokensOf(world: FuzzWorld, key: string, mode: Mode): Promise<readonly Token[]> {
  const path = `/currencies${mode === 'test' ? '?includeTestnets=true' : ''}`;
  const { chains } = currencies.parse(await ask(world, key, 'GET', path));
  const all = chains.flatMap(({ family, tokens }) => tokens.map((token): Token => ({ key: token.key, family })));
  return all.toSorted((a, b) => Number(a.family === 'solana') - Number(b.family === 'solana'));
}

/** What tells the first resources of one merchant from another's. */
interface Settler {
  readonly tokens: OfModes<readonly Token[]>;
  /** In all texts that the merchant sends. */
  readonly name: string;
  /** The wallets of its customers. */
  readonly wallets: OfModes<string>;
  /** Makes the first payment. */
  readonly payer: string;
}

/** Makes the first resources of a merchant, which `owners` learns. */
export async function settle(
  world: FuzzWorld,
  owners: Owners,
  merchant: Merchant,
  { name, tokens, wallets, payer }: Settler,
): Promise<OfModes<Known>> {
  const settleIn = async (mode: Mode): Promise<Known> => {
    let known: Known = new Map();
    const make = async (method: string, path: string, body?: object): Promise<unknown> => {
      const made = await ask(world, keyOf(merchant, mode), method, path, body);
      known = learned(known, made);
      owners.claim(made, { merchantId: merchant.id, mode });
      return made;
    };
    const [first = '', second = '', third = '', deletable = ''] = tokens[mode].map(({ key }) => key);
    const [toWallet] = world.wallets.receivers;
    const receiverWallet = evmAddress(`${name} payout`);
    const empty = idOf(await make('POST', '/wallets', { tokenKey: deletable, receiverWallet }));
    // Only a wallet without an address can be deleted, and only staff leave wallets like that.
    await world.store.records.change('wallets', empty, {}, { set: { receiverWallet: null } });
    const acceptedTokens = [first, second, third];
    for (const tokenKey of acceptedTokens) await make('POST', '/wallets', { tokenKey, receiverWallet: toWallet });
    const texts = { name, metadata: { note: name } };
    const terms = (interval: string) => ({ amount: '10.00', acceptedTokens, billing: { type: 'recurring', interval } });
    const pricing = [
      terms('month'),
      { ...terms('day'), model: 'per_unit', maxQuantity: 9 },
      { ...terms('week'), model: 'metered', capAmount: '50.00' },
    ];
    await make('POST', '/offers', { ...texts, description: name, pricing, idempotencyKey: 'first offer' });
    const wallet = { chainFamily: 'evm', address: wallets[mode] };
    const email = `${name}@example.com`;
    const customerId = idOf(await make('POST', '/customers', { ...texts, email, wallets: [wallet] }));
    const priceId = known.get('price')?.[0]?.id;
    await make('POST', '/subscriptions', { customerId, priceId, tokenKey: first, customVariables: { name } });
    await make('PATCH', '/webhooks/endpoint', { url: `https://${name}.invalid/` });
    // Keys of payments are unique among all merchants.
    const payment = { fromWallet: payer, toWallet, amount: '1.00', tokenKey: first, idempotencyKey: receiverWallet };
    if (mode === 'test') await make('POST', '/payments', payment);
    await make('GET', '/events?limit=100');
    return known;
  };
  return { test: await settleIn('test'), live: await settleIn('live') };
}

export function keyOf(merchant: Merchant, mode: Mode): string {
  return mode === 'test' ? merchant.testKey : merchant.liveKey;
}
