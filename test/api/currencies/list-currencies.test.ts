import { testOperator } from '../../../stage/scripted-chain.ts';
import { expectError, useHttp, useMerchant } from '../../support/http.ts';

const merchant = useMerchant(useHttp());

describe('GET /currencies 200', () => {
  it('leaves testnets out by default', async () => {
    const plain = await merchant.get('/currencies');
    const all = await merchant.get('/currencies?includeTestnets=true');
    expect(chainIds(plain.body)).toEqual([1, 10, 56, 137, 8453, 42161, 101]);
    expect(chainIds(all.body)).toEqual([1, 10, 56, 137, 8453, 42161, 101, 11155111, 84532, 103, 31337]);
  });

  it('names the playing chain of a mainnet and its operator for a test key', async () => {
    const { body } = await merchant.get('/currencies');
    expect(chain(body, 8453)).toMatchObject({
      family: 'evm',
      label: 'Base',
      testnet: false,
      playedBy: 31337,
      operator: testOperator(merchant.id, 'test'),
      enabled: true,
    });
    expect(chain(body, 101)).toMatchObject({ playedBy: 103, operator: null, enabled: false });
  });

  it('names no operator while the chain is not enabled', async () => {
    const { body } = await merchant.get('/currencies?includeTestnets=true');
    expect(chain(body, 84532)).toMatchObject({ playedBy: null, operator: null, enabled: false });
    expect(chain(body, 31337)).toMatchObject({ playedBy: null, enabled: true });
  });

  it('names the chain itself for a live key, enabled only if it can be charged', async () => {
    const { body } = await merchant.get('/currencies', merchant.liveKey);
    expect(chain(body, 8453)).toMatchObject({ playedBy: null, operator: null, enabled: false });
  });

  it('shows a contract on EVM and a mint on Solana', async () => {
    const { body } = await merchant.get('/currencies');
    expect(chain(body, 8453)?.tokens).toEqual([
      {
        key: 'usdc-base',
        ticker: 'USDC',
        decimals: 6,
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        mint: null,
        currency: 'USD',
      },
    ]);
    expect(chain(body, 101)?.tokens[0]).toMatchObject({
      key: 'usdc-solana',
      address: null,
      mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    });
  });
});

describe('GET /currencies 400', () => {
  it.each(['1', 'TRUE', ''])('refuses includeTestnets=%s', async (value) => {
    const reply = await merchant.get(`/currencies?includeTestnets=${value}`);
    expectError(reply, 400, 'includeTestnets must be true or false');
  });
});

interface ChainBody {
  readonly chainId: number;
  readonly tokens: readonly unknown[];
}

function chainsOf(body: unknown): ChainBody[] {
  if (typeof body === 'object' && body !== null && 'chains' in body && Array.isArray(body.chains)) return body.chains;
  throw new Error(`a list of chains was expected, not ${JSON.stringify(body)}`);
}

function chainIds(body: unknown): number[] {
  return chainsOf(body).map(({ chainId }) => chainId);
}

function chain(body: unknown, chainId: number): ChainBody | undefined {
  return chainsOf(body).find((one) => one.chainId === chainId);
}
