import { z } from 'zod';
import type { CatalogChain } from '../../../src/chains/catalog.ts';
import { checkToken, tokenCalls } from '../../../src/chains/evm/token-check.ts';
import { JsonRpc, NodeUnreachable, resultOf } from '../../../src/chains/rpc.ts';
import { askSized, LearnedSizes } from '../../../src/chains/sized.ts';
import { type Colors, table } from '../../lib/terminal.ts';

/** A node's answer about one token of the catalog. */
export interface TokenRow {
  readonly chainId: number;
  readonly chain: string;
  readonly tokenKey: string;
  readonly address: string;
  /** The contract's symbol; null for a Solana mint, which has none. */
  readonly symbol: string | null;
  readonly decimals: string | null;
  /** The reason why it is not enabled, a sentence; null: it matches the catalog. */
  readonly problem: string | null;
}

export interface TokenSource {
  readonly chain: CatalogChain;
  readonly rpcUrl: string;
}

const TIMEOUT_MS = 10_000;
const BATCH_MAX = 20;

/** Compares every token of these chains with a node: code, symbol and decimals; on Solana mint and extensions. */
export async function checkTokens(sources: readonly TokenSource[]): Promise<TokenRow[]> {
  return (await Promise.all(sources.map(checkChain))).flat();
}

async function checkChain({ chain, rpcUrl }: TokenSource): Promise<TokenRow[]> {
  const rpc = new JsonRpc({ url: rpcUrl, timeoutMs: TIMEOUT_MS, batchMax: BATCH_MAX });
  try {
    return chain.family === 'evm' ? await evmRows(rpc, chain) : await solanaRows(rpc, chain);
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    const { message } = error;
    return chain.tokens.map((token) => rowOf(chain, token, { symbol: null, decimals: null, problem: message }));
  } finally {
    await rpc.close();
  }
}

type Reported = Pick<TokenRow, 'symbol' | 'decimals' | 'problem'>;

function rowOf(chain: CatalogChain, { key, address }: CatalogChain['tokens'][number], reported: Reported): TokenRow {
  return { chainId: chain.chainId, chain: chain.label, tokenKey: key, address, ...reported };
}

async function evmRows(rpc: JsonRpc, chain: CatalogChain): Promise<TokenRow[]> {
  const id = Number(z.string().parse(await rpc.call('eth_chainId', [])));
  if (id !== chain.chainId) {
    const problem = `the node is of chain ${id}; expected ${chain.chainId}`;
    return chain.tokens.map((token) => rowOf(chain, token, { symbol: null, decimals: null, problem }));
  }
  const codes = await rpc.batch(
    chain.tokens.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  );
  const answers = await rpc.batch(chain.tokens.flatMap(tokenCalls));
  return chain.tokens.map((token, index) => {
    if (z.string().parse(resultOf(codes[index])) === '0x') {
      return rowOf(chain, token, { symbol: null, decimals: null, problem: 'there is no contract at its address' });
    }
    const { symbol, decimals, why } = checkToken(token, answers.slice(index * 2, index * 2 + 2));
    return rowOf(chain, token, { symbol, decimals, problem: why });
  });
}

/** Loaded on demand, because Solana's libraries load slowly. */
async function solanaRows(rpc: JsonRpc, chain: CatalogChain): Promise<TokenRow[]> {
  const { checkMint } = await import('../../../src/chains/solana/token-account.ts');
  const { accountsQuestion, readAccounts } = await import('../../../src/chains/solana/context.ts');
  const mints = chain.tokens.map(({ address }) => address);
  const { answers } = await askSized(rpc, new LearnedSizes(), accountsQuestion(mints));
  const { of } = readAccounts(mints, answers);
  return chain.tokens.map((token) => {
    const check = checkMint(token, of.get(token.address) ?? null);
    const reported = check.ok
      ? { symbol: null, decimals: String(check.token.decimals), problem: null }
      : { symbol: null, decimals: null, problem: check.why };
    return rowOf(chain, token, reported);
  });
}

export function tokensShown(rows: readonly TokenRow[], colors: Colors): string {
  if (rows.length === 0) return 'No chain is configured: set RPC_URL_<chainId>, or let the local devnets run\n';
  const lines = rows.map(({ chain, tokenKey, address, symbol, decimals, problem }) => [
    problem === null ? 'ok' : 'NO',
    chain,
    tokenKey,
    address,
    symbol ?? '-',
    decimals ?? '-',
    problem ?? '',
  ]);
  const wrong = rows.filter(({ problem }) => problem !== null).length;
  const end = wrong === 0 ? colors.green('Every token is as the catalog says') : colors.red(`${wrong} differ`);
  return `${table(['', 'CHAIN', 'TOKEN', 'ADDRESS', 'SYMBOL', 'DECIMALS', ''], lines)}\n${end}\n`;
}
