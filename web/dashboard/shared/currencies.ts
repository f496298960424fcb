import { money } from '../../ui/decimal.ts';
import { useLoad } from '../dashboard-api.ts';
import type { Chain, Currencies } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

/** The chains and tokens that can be charged in this environment; empty until they are loaded. */
export function useChains(mode: Mode): readonly Chain[] {
  const path = `/${mode}/currencies${mode === 'test' ? '?includeTestnets=true' : ''}` as const;
  return useLoad<Currencies>(path).value?.chains ?? [];
}

/** "USDC on Base"; for a token that is not in the catalog its key. */
export function tokenText(chains: readonly Chain[], tokenKey: string): string {
  const chain = chains.find(({ tokens }) => tokens.some(({ key }) => key === tokenKey));
  return chain === undefined ? tokenKey : `${tickerOf(chains, tokenKey)} on ${chain.label}`;
}

/** An amount in token units: "9.90 USDC". */
export function amountText(chains: readonly Chain[], amount: string, tokenKey: string): string {
  return money(amount, tickerOf(chains, tokenKey));
}

function tickerOf(chains: readonly Chain[], tokenKey: string): string {
  const token = chains.flatMap(({ tokens }) => tokens).find(({ key }) => key === tokenKey);
  return token?.ticker ?? tokenKey;
}
