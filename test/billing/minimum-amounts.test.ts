import { buildCatalog } from '../../src/chains/catalog.ts';
import { PLENTY, quietChain, scriptedChain } from '../../stage/scripted-chain.ts';
import { BOB, monthly, offerBody, paymentBody } from '../support/bodies.ts';
import { expectError, idOf, type Reply, startHttp } from '../support/http.ts';
import { MerchantOverHttp } from '../support/merchant-over-http.ts';

let liveKey: string;
let testKey: string;
const catalog = buildCatalog({ minimumCents: new Map([[42161, 5_00n]]) });
const http = await startHttp({ catalog, chains: [1, 8453, 42161, 84532].map(quietChain) });
beforeEach(async () => {
  ({ liveKey, testKey } = await http.merchant());
});

/** A payment by transfer, which is answered at once. */
function pay(tokenKey: string, amount: string, key = liveKey): Promise<Reply> {
  const order = { tokenKey, amount, idempotencyKey: `${tokenKey} ${amount} ${key}` };
  const body = paymentBody({ ...order, paymentMethod: 'wallet_transfer', fromWallet: undefined });
  return http.call('POST', '/payments', { key, body });
}

describe('POST /payments', () => {
  it.each([
    ['usdc-ethereum', '0.999999', '1.00', 'Ethereum'],
    ['usdc-base', '0.000001', '0.10', 'Base'],
    ['usdc-arbitrum', '4.99', '5.00', 'Arbitrum One'],
  ])('with a live key takes no less of %s than the least amount of its chain', async (tokenKey, less, least, chain) => {
    const error = `amount must be at least ${least} USDC, the least amount on ${chain}`;
    expectError(await pay(tokenKey, less), 400, error);
    expect((await pay(tokenKey, least)).status).toBe(201);
  });

  it('with a test key takes any amount', async () => {
    expect((await pay('usdc-base', '0.000001', testKey)).status).toBe(201);
  });
});

describe('an offer', () => {
  const cheap = monthly({ amount: '4.99', acceptedTokens: ['usdc-base', 'usdc-arbitrum'] });
  const error = 'amount must be at least 5.00 USDC, the least amount on Arbitrum One';
  const create = (pricing: readonly object[], key = liveKey) =>
    http.call('POST', '/offers', { key, body: offerBody({ pricing }) });

  it('in live mode has no price below the least amount of a chain that it accepts', async () => {
    const dear = monthly({ amount: '5', acceptedTokens: ['usdc-arbitrum'] });
    expectError(await create([dear, cheap]), 400, `pricing[1].${error}`);
    const made = await create([dear]);
    expect(made.status).toBe(201);
    const path = `/offers/${idOf(made)}/pricing`;
    expectError(await http.call('POST', path, { key: liveKey, body: cheap }), 400, error);
  });

  it('that is older than the least amount is charged as its payers have signed', async () => {
    const chain = Object.assign(scriptedChain(), { chainId: 8453, state: PLENTY });
    const own = await startHttp({ chains: [chain] });
    const merchant = await MerchantOverHttp.signUp(own, chain, 'Coffee Club', 'live');
    await merchant.post('/wallets', { tokenKey: 'usdc-base', receiverWallet: BOB });
    const option = { acceptedTokens: ['usdc-base'] };
    const id = await merchant.subscribe({}, option);
    Object.assign(own.catalog.chain(8453) ?? {}, { minimumCents: 50_00n });
    const refused = await merchant.post('/offers', offerBody({ pricing: [monthly(option)] }));
    expectError(refused, 400, 'pricing[0].amount must be at least 50.00 USDC, the least amount on Base');
    await merchant.settleCharge(id);
    expect(await merchant.subscription(id)).toMatchObject({ status: 'active', context: { lastCycle: 1 } });
  });

  it('in test mode has any price of a dollar or more', async () => {
    expect((await create([monthly({ amount: '1', acceptedTokens: ['usdc-ethereum'] })], testKey)).status).toBe(201);
  });
});
