import { z } from 'zod';
import { answer, endpoint } from '../../http/endpoint.ts';
import { flag } from '../../http/input/fields.ts';
import { ADDRESSES, TOKEN } from '../openapi/examples/ids.ts';
import { chainSchema, chainView } from '../views/currency.ts';

/** Base as a test key sees it, played by Base Sepolia. */
const exampleChain: z.output<typeof chainSchema> = {
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

export const listCurrencies = endpoint({
  summary: 'List the chains and tokens that can be charged',
  id: 'listCurrencies',
  description:
    'The tokens that offers, wallets and payments can name. Each chain has the address that payers of this merchant approve if they do not sign at the checkout.',
  query: z.object({ includeTestnets: flag.default(false).describe('`true` lists testnet chains too.') }),
  responses: { 200: z.strictObject({ chains: z.array(chainSchema).describe('The catalog.') }) },
  example: { query: { includeTestnets: 'false' }, answer: { status: 200, body: { chains: [exampleChain] } } },
  handle: async ({ query, caller }, { catalog, chains }) => {
    const shown = catalog.chains.filter((chain) => query.includeTestnets || !chain.testnet);
    return answer(200, { chains: shown.map((chain) => chainView(chain, { catalog, chains }, caller)) });
  },
});
