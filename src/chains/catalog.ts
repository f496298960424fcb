import type { ChainFamily } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import {
  CHAIN_ROWS,
  type ChainRow,
  type EvmChainRow,
  LOCAL_EVM_CHAIN,
  LOCAL_SOLANA_CHAIN,
  type SolanaChainRow,
  TOKEN_ROWS,
} from './catalog-rows.ts';

export interface CatalogToken {
  /** The `tokenKey`: `<ticker>-<network>`, lower case. */
  readonly key: string;
  readonly ticker: string;
  readonly decimals: number;
  readonly chainId: number;
  readonly family: ChainFamily;
  /** EVM: the contract, EIP-55. Solana: the mint, base58. */
  readonly address: string;
  /** The accepted answers of the contract's `symbol()`. A token with another answer is not enabled. */
  readonly symbols: readonly string[];
}

/** One chain (docs/rules.md, "Environments, chains, tokens"). */
export type CatalogChain = EvmCatalogChain | SolanaCatalogChain;
export type EvmCatalogChain = EvmChainRow & Listed;
export type SolanaCatalogChain = SolanaChainRow & Listed;

interface Listed {
  /** True if it runs on this machine, as one of the local devnets. */
  readonly local: boolean;
  readonly tokens: readonly CatalogToken[];
}

/** Where a token's charges really happen. */
export interface Play {
  readonly chainId: number;
  readonly tokenKey: string;
  /** The playing token: EVM contract or Solana mint. */
  readonly token: string;
  readonly decimals: number;
  /** Converts base units of the requested token to base units of the playing token, rounded up. */
  rescale(amount: bigint): bigint;
}

/**
 * `unknown`: no such token key exists. `testnet`: a live key asked for a testnet token (a 400 that names it).
 * `no_counterpart`: no sandbox chain has this ticker, so its charges are not attempted.
 */
type PlayAnswer =
  | { readonly ok: true; readonly play: Play }
  | { readonly ok: false; readonly why: 'unknown' | 'testnet' | 'no_counterpart' };

/** The chains and tokens of this installation. Pure data: `Chain.enabled` says whether a chain is enabled. */
export interface Catalog {
  readonly chains: readonly CatalogChain[];
  chain(chainId: number): CatalogChain | undefined;
  tokenByKey(tokenKey: string): CatalogToken | undefined;
  /** The chain that plays `chainId` for keys of this mode. Null: no chain does (a testnet under a live key). */
  playedBy(chainId: number, mode: Mode): number | null;
  /** Where charges of this token happen for keys of this mode. */
  play(tokenKey: string, mode: Mode): PlayAnswer;
}

/** A token that a local devnet must deploy. */
export type LocalTokenSpec = Pick<CatalogToken, 'key' | 'ticker' | 'decimals'>;

/** A deployed token of a local devnet. */
export type LocalToken = Pick<CatalogToken, 'ticker' | 'decimals' | 'address'>;

export interface CatalogOptions {
  /** The deployed tokens of `localEvmTokens()`. Absent if the local devnets do not run. */
  readonly localEvm?: { readonly tokens: readonly LocalToken[] };
  readonly localSolana?: { readonly tokens: readonly LocalToken[] };
  /** Chain id → the least amount in cents; a missing chain has its row's. */
  readonly minimumCents?: ReadonlyMap<number, bigint>;
}

/** The tokens of the local EVM chain: one for each ticker and number of decimals of the catalog's EVM chains. */
export function localEvmTokens(): LocalTokenSpec[] {
  return localTokens('evm', 'local-evm');
}

/** The tokens of the local Solana chain, by the same rule. */
export function localSolanaTokens(): LocalTokenSpec[] {
  return localTokens('solana', 'local-solana');
}

/** Throws when a local token is missing or deployed twice; ignores deployed tokens that are not in the catalog. */
export function buildCatalog(options: CatalogOptions = {}): Catalog {
  const chains = [...publicChains(options), ...localChains(options)];
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  const byKey = new Map(chains.flatMap((chain) => chain.tokens).map((token) => [token.key, token]));
  const playedBy = (chainId: number, mode: Mode): number | null => {
    const chain = byId.get(chainId);
    return chain === undefined ? null : playingChain(chain, mode, chains);
  };
  return {
    chains,
    chain: (chainId) => byId.get(chainId),
    tokenByKey: (tokenKey) => byKey.get(tokenKey),
    playedBy,
    play: (tokenKey, mode) => playToken(byKey.get(tokenKey), mode, playedBy, byId),
  };
}

function publicChains({ minimumCents }: CatalogOptions): CatalogChain[] {
  return CHAIN_ROWS.map((row) => ({
    ...row,
    minimumCents: minimumCents?.get(row.chainId) ?? row.minimumCents,
    local: false,
    tokens: TOKEN_ROWS.filter((token) => token.chainId === row.chainId).map((token) => ({
      key: `${token.ticker.toLowerCase()}-${row.network}`,
      ticker: token.ticker,
      decimals: token.decimals,
      chainId: row.chainId,
      family: row.family,
      address: token.address,
      symbols: token.symbols ?? [token.ticker],
    })),
  }));
}

function localChains(options: CatalogOptions): CatalogChain[] {
  const chains: CatalogChain[] = [];
  if (options.localEvm) chains.push(localChain(LOCAL_EVM_CHAIN, localEvmTokens(), options.localEvm.tokens));
  if (options.localSolana) {
    chains.push(localChain(LOCAL_SOLANA_CHAIN, localSolanaTokens(), options.localSolana.tokens));
  }
  return chains;
}

function localChain(row: ChainRow, specs: readonly LocalTokenSpec[], deployed: readonly LocalToken[]): CatalogChain {
  const tokens = specs.map((spec) => {
    const found = deployed.filter((token) => token.ticker === spec.ticker && token.decimals === spec.decimals);
    const [one] = found;
    if (one === undefined || found.length > 1) {
      throw new Error(
        `${row.label} has ${found.length} tokens ${spec.ticker} with ${spec.decimals} decimals, expected 1`,
      );
    }
    const { key, ticker, decimals } = spec;
    const { chainId, family } = row;
    return { key, ticker, decimals, chainId, family, address: one.address, symbols: [ticker] };
  });
  return { ...row, local: true, tokens };
}

/** The page of a transaction; null: no explorer shows it. */
export function explorerUrl(chainId: number, txHash: string): string | null {
  const row = CHAIN_ROWS.find((chain) => chain.chainId === chainId);
  return row?.explorer?.replace('{}', encodeURIComponent(txHash)) ?? null;
}

function localTokens(family: ChainFamily, network: string): LocalTokenSpec[] {
  const chainIds = new Set(CHAIN_ROWS.filter((row) => row.family === family).map((row) => row.chainId));
  const specs = new Map<string, LocalTokenSpec>();
  for (const { ticker, decimals, chainId } of TOKEN_ROWS) {
    if (!chainIds.has(chainId)) continue;
    const name = `${ticker.toLowerCase()}-${network}`;
    const key = decimals === 6 ? name : `${name}-${decimals}`;
    specs.set(key, { key, ticker, decimals });
  }
  return [...specs.values()].sort((a, b) => a.decimals - b.decimals || (a.key < b.key ? -1 : 1));
}

/** A sandbox chain plays a mainnet for test keys (docs/rules.md, "Environments, chains, tokens"). */
function playingChain(chain: CatalogChain, mode: Mode, chains: readonly CatalogChain[]): number | null {
  if (mode === 'live') return chain.testnet ? null : chain.chainId;
  if (chain.testnet) return chain.chainId;
  const local = chains.find((other) => other.local && other.family === chain.family);
  return local?.chainId ?? chain.sandbox;
}

function playToken(
  asked: CatalogToken | undefined,
  mode: Mode,
  playedBy: (chainId: number, mode: Mode) => number | null,
  byId: ReadonlyMap<number, CatalogChain>,
): PlayAnswer {
  if (asked === undefined) return { ok: false, why: 'unknown' };
  const chainId = playedBy(asked.chainId, mode);
  if (chainId === null) return { ok: false, why: 'testnet' };
  const token = chainId === asked.chainId ? asked : counterpart(asked, byId.get(chainId)?.tokens ?? []);
  if (token === undefined) return { ok: false, why: 'no_counterpart' };
  const play: Play = {
    chainId,
    tokenKey: token.key,
    token: token.address,
    decimals: token.decimals,
    rescale: (amount) => rescale(amount, asked.decimals, token.decimals),
  };
  return { ok: true, play };
}

/** The token with the same ticker. One with the same decimals is preferred, so that no amount has to be rescaled. */
function counterpart(asked: CatalogToken, tokens: readonly CatalogToken[]): CatalogToken | undefined {
  const sameTicker = tokens.filter((token) => token.ticker === asked.ticker);
  return sameTicker.find((token) => token.decimals === asked.decimals) ?? sameTicker[0];
}

/** The base units of a token that are worth so many cents, if a token is worth a dollar. */
export function unitsOfCents(cents: bigint, decimals: number): bigint {
  return rescale(cents, 2, decimals);
}

/** Converts base units from one number of decimals to another, rounded up. */
export function rescale(amount: bigint, from: number, to: number): bigint {
  if (to >= from) return amount * 10n ** BigInt(to - from);
  const divisor = 10n ** BigInt(from - to);
  return (amount + divisor - 1n) / divisor;
}
