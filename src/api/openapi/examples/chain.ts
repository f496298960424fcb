import type { z } from 'zod';
import type { chainSchema } from '../../views/currency.ts';
import { ADDRESSES, TOKEN } from './ids.ts';

/** Base as a test key sees it, played by Base Sepolia. */
export const exampleChain: z.output<typeof chainSchema> = {
  chainId: TOKEN.chainId,
  family: 'evm',
  label: 'Base',
  testnet: false,
  tokens: [
    { key: TOKEN.tokenKey, ticker: 'USDC', decimals: 6, address: ADDRESSES.usdcOnBase, mint: null, currency: 'USD' },
  ],
  playedBy: 84_532,
  operator: ADDRESSES.operator,
  enabled: true,
};
