import { PublicKey } from '@solana/web3.js';
import { getAddress } from 'ethers';
import {
  buildCatalog,
  type Catalog,
  explorerUrl,
  type LocalToken,
  localEvmTokens,
  localSolanaTokens,
  type Play,
  rescale,
} from '../../src/chains/catalog.ts';

const localTokens: LocalToken[] = localEvmTokens().map(({ ticker, decimals }, index) => ({
  ticker,
  decimals,
  address: getAddress(`0x${String(index + 1).padStart(40, '0')}`),
}));

const abroad = buildCatalog();
const atHome = buildCatalog({ localEvm: { tokens: localTokens } });

function played(catalog: Catalog, tokenKey: string, mode: 'live' | 'test'): Play {
  const answer = catalog.play(tokenKey, mode);
  if (!answer.ok) throw new Error(`${tokenKey} is not played: ${answer.why}`);
  return answer.play;
}

describe('the rows of the catalog', () => {
  it('are the chains of the rules, mainnets and testnets', () => {
    const ids = (testnet: boolean): number[] =>
      abroad.chains.filter((chain) => chain.testnet === testnet).map((chain) => chain.chainId);
    expect(ids(false)).toEqual([1, 10, 56, 137, 8453, 42161, 101]);
    expect(ids(true)).toEqual([11155111, 84532, 103]);
    expect(atHome.chains.at(-1)).toMatchObject({ chainId: 31337, label: 'Local EVM', testnet: true, local: true });
  });

  it('name for each chain the highest cost of a refund and the least amount in cents, and on EVM the lowest and the highest tip', () => {
    const facts = atHome.chains.map((row) => [
      row.chainId,
      [row.refundCents, row.minimumCents, row.family === 'evm' ? [row.tipGwei.min, row.tipGwei.max] : null],
    ]);
    expect(Object.fromEntries(facts)).toEqual({
      1: [500n, 100n, [0.001, 50]],
      10: [5n, 10n, [0.001, 2]],
      56: [20n, 10n, [0.05, 20]],
      137: [5n, 10n, [25, 1_000]],
      8453: [5n, 10n, [0.001, 2]],
      42161: [5n, 10n, [0, 2]],
      101: [50n, 10n, null],
      31337: [1n, 0n, [0, 50]],
      84532: [1n, 0n, [0.001, 2]],
      11155111: [1n, 0n, [0.001, 50]],
      103: [1n, 0n, null],
    });
  });

  it('name the explorer of every public chain', () => {
    expect(explorerUrl(8453, '0xabc')).toBe('https://basescan.org/tx/0xabc');
    expect(explorerUrl(103, '5Kt/')).toBe('https://explorer.solana.com/tx/5Kt%2F?cluster=devnet');
    const without = atHome.chains.filter(({ chainId }) => explorerUrl(chainId, '0xabc') === null);
    expect(without.map(({ chainId }) => chainId)).toEqual([31337]);
  });

  it('have EIP-55 addresses and base58 mints of 32 bytes', () => {
    for (const token of abroad.chains.flatMap((chain) => chain.tokens)) {
      const canonical =
        token.family === 'evm' ? getAddress(token.address.toLowerCase()) : new PublicKey(token.address).toBase58();
      expect([token.key, token.address]).toEqual([token.key, canonical]);
    }
  });

  it('have each key, and each address of a chain, once', () => {
    const tokens = atHome.chains.flatMap((chain) => chain.tokens);
    expect(new Set(tokens.map(({ key }) => key)).size).toBe(tokens.length);
    expect(new Set(tokens.map(({ chainId, address }) => `${chainId}:${address}`)).size).toBe(tokens.length);
    for (const { key, ticker } of tokens) expect(key.startsWith(`${ticker.toLowerCase()}-`)).toBe(true);
  });

  it('have 18 decimals on BNB Smart Chain and 6 everywhere else', () => {
    for (const token of abroad.chains.flatMap((chain) => chain.tokens)) {
      expect([token.key, token.decimals]).toEqual([token.key, token.chainId === 56 ? 18 : 6]);
    }
  });

  it('name the local tokens after the tokens that they play, one for each ticker and number of decimals', () => {
    expect(localEvmTokens()).toEqual([
      { key: 'usdc-local-evm', ticker: 'USDC', decimals: 6 },
      { key: 'usdt-local-evm', ticker: 'USDT', decimals: 6 },
      { key: 'usdc-local-evm-18', ticker: 'USDC', decimals: 18 },
      { key: 'usdt-local-evm-18', ticker: 'USDT', decimals: 18 },
    ]);
    expect(localSolanaTokens().map(({ key }) => key)).toEqual(['usdc-local-solana', 'usdt-local-solana']);
  });

  it('are refused if a local token is missing or repeated', () => {
    expect(() => buildCatalog({ localEvm: { tokens: localTokens.slice(1) } })).toThrow('0 tokens USDC with 6 decimals');
    const twice = [...localTokens, ...localTokens.slice(0, 1)];
    expect(() => buildCatalog({ localEvm: { tokens: twice } })).toThrow('2 tokens USDC with 6 decimals');
  });
});

describe('the playing token', () => {
  it('is on the chain itself for a live key, but never on a testnet', () => {
    expect(played(abroad, 'usdc-base', 'live')).toMatchObject({ chainId: 8453, tokenKey: 'usdc-base', decimals: 6 });
    expect(abroad.play('usdc-base-sepolia', 'live')).toEqual({ ok: false, why: 'testnet' });
    expect(atHome.play('usdc-local-evm', 'live')).toEqual({ ok: false, why: 'testnet' });
    expect(abroad.playedBy(84532, 'live')).toBeNull();
  });

  it('is on the testnet itself for a test key', () => {
    expect(played(abroad, 'usdc-sepolia', 'test')).toMatchObject({ chainId: 11155111, tokenKey: 'usdc-sepolia' });
    expect(played(atHome, 'usdc-local-evm-18', 'test')).toMatchObject({ chainId: 31337, decimals: 18 });
  });

  it('is on Base Sepolia for Base, on Sepolia for other EVM chains, and on devnet for Solana, without local devnets', () => {
    const cases = { 1: 11155111, 10: 11155111, 56: 11155111, 137: 11155111, 42161: 11155111, 8453: 84532, 101: 103 };
    for (const [chainId, by] of Object.entries(cases)) expect(abroad.playedBy(Number(chainId), 'test')).toBe(by);
  });

  it('is on the local chain of the family wherever that runs', () => {
    for (const chainId of [1, 10, 56, 137, 8453, 42161]) expect(atHome.playedBy(chainId, 'test')).toBe(31337);
    expect(atHome.playedBy(101, 'test')).toBe(103);
    const tokens = localSolanaTokens().map((spec) => ({ ...spec, address: `mint of ${spec.key}` }));
    const withSolana = buildCatalog({ localEvm: { tokens: localTokens }, localSolana: { tokens } });
    expect(played(withSolana, 'usdt-solana', 'test')).toMatchObject({ chainId: 104, tokenKey: 'usdt-local-solana' });
  });

  it('is never on a mainnet for a test key', () => {
    for (const catalog of [abroad, atHome]) {
      for (const { chainId } of catalog.chains) {
        expect(catalog.chain(catalog.playedBy(chainId, 'test') ?? 0)?.testnet).toBe(true);
      }
    }
  });

  it('has the same ticker and decimals on the local chain, so that amounts do not change', () => {
    const evmTokens = atHome.chains.filter((chain) => chain.family === 'evm').flatMap((chain) => chain.tokens);
    for (const token of evmTokens) {
      const play = played(atHome, token.key, 'test');
      expect([token.key, play.decimals, play.rescale(123n)]).toEqual([token.key, token.decimals, 123n]);
      expect(atHome.tokenByKey(play.tokenKey)?.ticker).toBe(token.ticker);
    }
  });

  it('scales amounts, rounded up, if its decimals differ', () => {
    const play = played(abroad, 'usdc-bnb', 'test');
    expect(play).toMatchObject({ chainId: 11155111, tokenKey: 'usdc-sepolia', decimals: 6 });
    expect(play.rescale(9_900_000_000_000_000_000n)).toBe(9_900_000n);
    expect(play.rescale(1n)).toBe(1n);
    expect(rescale(5n, 6, 18)).toBe(5_000_000_000_000n);
    expect(rescale(0n, 18, 6)).toBe(0n);
  });

  it('is missing if no sandbox chain has the ticker, and unknown keys are named as unknown', () => {
    expect(abroad.play('usdt-ethereum', 'test')).toEqual({ ok: false, why: 'no_counterpart' });
    expect(abroad.play('doge-base', 'test')).toEqual({ ok: false, why: 'unknown' });
    expect(abroad.playedBy(5, 'test')).toBeNull();
  });
});
