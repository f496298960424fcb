import type { EvmCatalogChain, SolanaCatalogChain } from '../chains/catalog.ts';
import type { ChainReader } from '../chains/chain-reader.ts';
import { EVM_SIZES } from '../chains/evm/context.ts';
import { evmChainReader } from '../chains/evm/reader/chain-reader.ts';
import { JsonRpc } from '../chains/rpc.ts';
import { SOLANA_SIZES } from '../chains/solana/options.ts';
import { type ChainsDeps, delegatesOn, evmConnection, solanaConnection } from './chains.ts';
import type { FormerRouters } from './routers.ts';

export type ChainReadersDeps = Pick<ChainsDeps, 'config' | 'world' | 'catalog' | 'solana' | 'delegates'> & {
  readonly former: FormerRouters;
};

/** One request of the audit is larger than any that a caller waits for. */
const TIMEOUT_MS = 20_000;

/** A reader for every chain on which this installation charges. The caller closes them. */
export function openChainReaders(deps: ChainReadersDeps): ChainReader[] {
  return deps.catalog.chains.flatMap((chain) => (chain.family === 'evm' ? onEvm(deps, chain) : onSolana(deps, chain)));
}

function onEvm(deps: ChainReadersDeps, chain: EvmCatalogChain): ChainReader[] {
  const connection = evmConnection(deps, chain);
  if (!connection || connection.routers.length === 0) return [];
  const { chainId, label, tokens } = chain;
  return [
    evmChainReader({
      chainId,
      label,
      rpc: new JsonRpc({ url: connection.rpcUrls[0], timeoutMs: TIMEOUT_MS, batchMax: EVM_SIZES.rpcBatch }),
      routers: [...connection.routers, ...(deps.former.get(chainId) ?? [])],
      tokens: tokens.map(({ address }) => address),
      senders: connection.signers.map(({ address }) => address),
      confirmations: connection.confirmations ?? chain.confirmations,
    }),
  ];
}

function onSolana(deps: ChainReadersDeps, chain: SolanaCatalogChain): ChainReader[] {
  const connection = solanaConnection(deps, chain);
  const delegates = delegatesOn(deps.delegates, chain);
  if (!connection || !deps.solana || delegates === null) return [];
  const { chainId, label, tokens } = chain;
  return [
    deps.solana.solanaChainReader({
      chainId,
      label,
      rpc: new JsonRpc({ url: connection.rpcUrls[0], timeoutMs: TIMEOUT_MS, batchMax: SOLANA_SIZES.rpcBatch }),
      delegates,
      feePayers: connection.feePayers.map(({ address }) => address),
      tokens: tokens.map(({ address }) => address),
    }),
  ];
}
