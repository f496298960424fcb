import { formatUnits, parseUnits } from 'ethers';

/** The token that test keys name; the local chain plays it (docs/rules.md, "Environments, chains, tokens"). */
export const TOKEN_KEY = 'usdc-base';

/** The token of the local chain that plays {@link TOKEN_KEY}. */
export const PLAYING_TOKEN_KEY = 'usdc-local-evm';

const DECIMALS = 6;

/** An amount of the playing token: base units, or a decimal such as `9.90`. */
export type Amount = bigint | string;

export function units(amount: Amount): bigint {
  return typeof amount === 'bigint' ? amount : parseUnits(amount, DECIMALS);
}

/** Base units as a decimal: `9.90`, `0.099`; with at least `places` decimals. */
export function inTokens(amount: bigint, places = 2): string {
  const [whole = '0', fraction = ''] = formatUnits(amount, DECIMALS).split('.');
  return `${whole}.${fraction.padEnd(places, '0')}`;
}
