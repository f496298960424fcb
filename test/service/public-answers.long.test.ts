import { Keypair, type PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { checkDocument } from '../../packages/cli/src/verify-proof/document.ts';
import { Node } from '../../packages/cli/src/verify-proof/node.ts';
import { checkOnSolana } from '../../packages/cli/src/verify-proof/solana.ts';
import { ROUTES } from '../../src/api/routes.ts';
import { mandateKey } from '../../src/chains/mandate-reader.ts';
import { fromBase58, keyFromSeed, toBase58 } from '../../src/chains/solana/keys.ts';
import { CHECKOUT_ROUTES } from '../../src/checkout/routes.ts';
import { PORTAL_ROUTES, PORTAL_SESSION_ROUTES } from '../../src/portal/routes.ts';
import type { Merchant } from '../../stage/merchant.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import { units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { SolanaUser } from '../support/solana.ts';
import { useStage } from '../support/stage.ts';

/**
 * What leaves the service for merchants, payers and visitors. On Solana whoever could name the address of a later
 * charge could bury it among mentions, so no answer may give one.
 */

const stage = useStage({ env: { LOCAL_DEVNETS: 'on' } });
const TOKEN_KEY = 'usdc-solana';

/** Everybody who asks the service, and everything that it has answered. */
class Listener {
  readonly answers: string[] = [];
  #cookie = '';

  async ask(method: string, path: string, { key, body }: { key?: string; body?: object } = {}): Promise<unknown> {
    const headers = {
      'Content-Type': 'application/json',
      'X-Portal-Request': '1',
      cookie: this.#cookie,
      ...(key === undefined ? {} : { 'X-API-Key': key }),
    };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${stage().url}${path}`, { method, headers, ...given });
    this.#cookie = response.headers.get('set-cookie')?.split(';')[0] ?? this.#cookie;
    const text = await response.text();
    this.answers.push(text);
    if (![200, 201, 404, 409].includes(response.status))
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }
}

/** Where the values of the path of a route come from. A new name has to be added here. */
type Values = Readonly<Record<string, string>>;

function pathOf(path: string, values: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: the walk has no ${name}`);
    return value;
  });
}

function signerOf(payer: Keypair) {
  const key = keyFromSeed(payer.secretKey.slice(0, 32));
  return { address: key.address, signMessage: async (text: string) => toBase58(key.sign(Buffer.from(text))) };
}

const sessionSchema = z.looseObject({
  asked: z.looseObject({ operator: z.string() }),
  outcome: z.looseObject({ subscription: z.looseObject({ id: z.string() }) }),
});

/** The payer buys at the checkout, as its page does. Resolves with the ids when the subscription is active. */
async function buy(listener: Listener, merchant: Merchant, user: SolanaUser, payer: Keypair, sessionKey: string) {
  const signer = signerOf(payer);
  const { address } = signer;
  const { offerId, priceId } = await merchant.createOffer({ price: '10.00', every: 'month', tokens: [TOKEN_KEY] });
  const offer = `/checkout/api/offers/${offerId}`;
  const asked = await listener.ask('POST', `${offer}/challenges`, { body: { address, priceId } });
  const challenge = challengeSchema.parse(asked);
  const signature = await signChallenge(signer, challenge);
  const { message } = challenge;
  const body = { priceId, address, message, signature, sessionKey };
  const session = sessionSchema.parse(await listener.ask('POST', `${offer}/subscriptions`, { body }));
  await user.approve(payer, session.asked.operator, units('1000.00'));
  const { id } = session.outcome.subscription;
  await until(
    'it is active',
    async () => merchant.api.subscriptions.get(id),
    ({ status }) => status === 'active',
  );
  return { id, offerId, priceId };
}

/** The addresses that a charge only names: none signs, is paid, or has an account. */
async function namedBy(user: SolanaUser, signature: string, paid: string): Promise<string[]> {
  const found = await user.connection.getTransaction(signature, { commitment: 'confirmed' });
  const keys: PublicKey[] = found?.transaction.message.accountKeys ?? [];
  const signers = found?.transaction.message.header.numRequiredSignatures ?? 0;
  const accounts = await user.connection.getMultipleAccountsInfo(keys, 'confirmed');
  const named = keys.filter((_, index) => index >= signers && accounts[index] === null).map(String);
  return named.filter((address) => address !== paid);
}

/** Every address that somebody could compute from a text: those in base58 or hex, and the keys that follow. */
function addressesIn(text: string): Set<string> {
  const hex = [...new Set(text.match(/(?<![0-9a-f])(?:0x)?[0-9a-f]{64}(?![0-9a-f])/g) ?? [])];
  const words = hex.map((each) => (each.startsWith('0x') ? each : `0x${each}`));
  const keys = words.flatMap((word) => [word, ...[1, 2, 3].map((cycle) => mandateKey(word, cycle))]);
  const spelled = (text.match(/[1-9A-HJ-NP-Za-km-z]{32,44}/g) ?? []).filter((each) => fromBase58(each)?.length === 32);
  return new Set([...spelled, ...keys.map((key) => toBase58(Buffer.from(key.slice(2), 'hex')))]);
}

it('names no address of a later charge on Solana in any public answer, and its proofs can be verified', async () => {
  const [user, merchant, listener] = [
    await SolanaUser.open(stage().url),
    await stage().createMerchant(),
    new Listener(),
  ];
  const receiverWallet = Keypair.generate().publicKey.toBase58();
  await merchant.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet });
  const payer = await user.newPayer(units('100.00'));
  const sessionKey = 'a-session-of-the-walk-through-all-answers';
  const { id, offerId, priceId } = await buy(listener, merchant, user, payer, sessionKey);
  const [payment] = await merchant.payments({ subscriptionId: id });
  const paymentId = payment?.id ?? '';
  const first = await namedBy(user, payment?.pullTxHash ?? '', receiverWallet);
  expect(first).toHaveLength(2);

  const { message } = challengeSchema
    .pick({ message: true })
    .parse(await listener.ask('POST', '/portal/api/challenges', { body: { address: payer.publicKey.toBase58() } }));
  const signature = await signerOf(payer).signMessage(message);
  await listener.ask('POST', '/portal/api/session', { body: { message, signature } });
  const { authorizationUrl, customerId } = z
    .looseObject({ authorizationUrl: z.string().nullish(), customerId: z.string() })
    .parse(await merchant.api.subscriptions.get(id));
  const { id: eventId } = await merchant.receiver.until('it is paid', ({ event }) => event === 'payment.succeeded');
  const { id: refundId } = await merchant.api.payments.refund(paymentId, {
    amount: '1.00',
    idempotencyKey: 'walk',
  });
  const { id: couponId } = await merchant.api.coupons.create({ code: 'WELCOME', percentOff: '25', cycles: 1 });
  await merchant.api.subscriptions.setDiscount(id, { couponId });
  const values: Values = {
    ...{ couponId, code: 'WELCOME', refundId, offerId, priceId, paymentId, customerId, sessionKey, subscriptionId: id },
    eventId,
    id: offerId,
    address: payer.publicKey.toBase58(),
    token: authorizationUrl?.split('/').at(-1) ?? 'none',
  };
  const priced = `?priceId=${priceId}`;
  const queries: Values = {
    '/offers/{offerId}/wallets/{address}': priced,
    '/offers/{offerId}/coupons/{code}': priced,
  };
  const tables = [
    ...ROUTES.map((row) => ({ ...row, base: '/v1', key: merchant.client.testKey })),
    ...CHECKOUT_ROUTES.map((row) => ({ ...row, base: '/checkout/api', key: undefined })),
    ...[...PORTAL_SESSION_ROUTES, ...PORTAL_ROUTES].map((row) => ({ ...row, base: '/portal/api', key: undefined })),
  ];
  for (const { method, path, base, key } of tables.filter((row) => row.method === 'GET')) {
    const query = queries[path] ?? '';
    await listener.ask(method, `${base}${pathOf(path, values)}${query}`, key === undefined ? {} : { key });
  }
  const proof = await listener.ask('GET', `/v1/payments/${paymentId}/proof`, { key: merchant.client.testKey });
  const said = [...listener.answers, JSON.stringify(merchant.receiver.events())].join('\n');
  // The walk has seen what is made for the charge.
  for (const each of ['tideline.proof-of-charge', '"agreement"', id, payment?.pullTxHash ?? ''])
    expect(said).toContain(each);

  expect(await merchant.api.sandbox.charge({ subscriptionId: id })).toMatchObject({ outcome: 'settled' });
  const later = (await merchant.payments({ subscriptionId: id })).find((each) => each.id !== paymentId);
  const second = await namedBy(user, later?.pullTxHash ?? '', receiverWallet);
  expect(second).toHaveLength(2);
  const known = addressesIn(said);
  expect(known).toContain(payer.publicKey.toBase58());
  expect(second.filter((address) => known.has(address) || first.includes(address))).toEqual([]);

  const document = checkDocument(Buffer.from(listener.answers.at(-1) ?? ''), { key: null, anyForm: false });
  if (document.proof === null) throw new Error(`not a proof: ${JSON.stringify(proof)}`);
  const checks = [...document.checks, ...(await checkOnSolana(new Node(user.rpcUrl), document.proof))];
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
}, 120_000);
