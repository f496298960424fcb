import { localKey } from '../../devnet/evm-wallets.ts';
import { auditAll } from '../../src/billing/audit/audit.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import { EvmChainReader } from '../../src/chains/evm/reader/chain-reader.ts';
import { JsonRpc } from '../../src/chains/rpc.ts';
import type { World } from './world.ts';

const RPC = { timeoutMs: 20_000, batchMax: 100 };
const CHAIN_ID = 31_337;

/** The findings of `npm run ops -- audit`, one sentence each. There must be none, whatever was killed. */
export async function auditWorld({ chain: { facts }, store }: World): Promise<string[]> {
  const tokens = facts.tokens.map(({ tokenKey, decimals, address }) => {
    return { ticker: (tokenKey.split('-')[0] ?? '').toUpperCase(), decimals, address };
  });
  const reader = new EvmChainReader({
    chainId: CHAIN_ID,
    label: 'the local chain',
    rpc: new JsonRpc({ url: facts.rpcUrl, ...RPC }),
    routers: [facts.router],
    tokens: tokens.map(({ address }) => address),
    senders: ['sender 1', 'sender 2'].map((name) => localKey(name).address),
    confirmations: 1,
  });
  try {
    const catalog = buildCatalog({ localEvm: { tokens } });
    const audits = await auditAll({ store, catalog, chainReaders: [reader] }, null);
    return audits.flatMap(({ differences }) =>
      differences.map(({ kind, paymentId, chargeKey, what }) => `audit: ${kind} of ${paymentId ?? chargeKey}: ${what}`),
    );
  } finally {
    await reader.close();
  }
}
