import { CHAIN_ROWS } from '../chains/catalog-rows.ts';
import type { ChainHealth } from '../chains/port.ts';
import type { Config } from '../config/config.ts';

/** A line for each chain that this process charges on: what it lacks, and what stops its charges now. */
export function chainTable(chains: readonly ChainHealth[], config: Pick<Config, 'chains'>): string {
  if (chains.length === 0) return 'No chain is configured: nothing is charged.\n';
  const rows = chains.map((chain) => [`${chain.label} (${chain.chainId})`, lacksOf(chain, config)] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = [['Charges on', 'lacks'], ...rows].map(([name = '', lacks]) => `  ${name.padEnd(width)}  ${lacks}\n`);
  return lines.join('');
}

function lacksOf({ chainId, trouble }: ChainHealth, { chains }: Pick<Config, 'chains'>): string {
  const row = CHAIN_ROWS.find((each) => each.chainId === chainId);
  const isMainnet = row?.testnet === false;
  const nodes = chains.find((each) => each.chainId === chainId)?.rpcUrls.length;
  const lacks = [
    ...(trouble === null ? [] : [trouble]),
    ...(isMainnet && nodes === 1 ? [`a second node in RPC_URL_${chainId}`] : []),
    ...(isMainnet && chains.every((each) => each.chainId !== row.sandbox)
      ? [`RPC_URL_${row.sandbox}, so test keys cannot charge`]
      : []),
  ];
  return lacks.length === 0 ? 'nothing' : lacks.join('; ');
}
