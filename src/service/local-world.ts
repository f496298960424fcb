import { type Catalog, localEvmTokens } from '../chains/catalog.ts';
import type { Chain } from '../chains/port.ts';
import type { Config } from '../config.ts';
import { approveOperator } from '../devnet/approve-operator.ts';
import { type EvmWorld, prepareEvmWorld } from '../devnet/evm-world.ts';
import { type Devnet, joinDevnet } from '../devnet/join.ts';
import type { Log } from '../engine/types.ts';
import type { DevnetDescription } from '../http/deps.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { packageVersion } from '../version.ts';

/** What runs on this machine for the service: the embedded database, the local chains, what is deployed on them. */
export interface LocalWorld {
  /** null where `MONGODB_URI` names another. */
  readonly mongoUri: string | null;
  /** null where the local devnets do not run. */
  readonly evm: EvmWorld | null;
  onLost(callback: (why: string) => void): void;
  leave(how: { readonly graceful: boolean }): Promise<void>;
}

const NOTHING_LOCAL: LocalWorld = {
  mongoUri: null,
  evm: null,
  onLost: () => {},
  leave: async () => {},
};

/** Starts or joins what the configuration leaves to this machine. Throws a DevnetError for people. */
export async function openLocalWorld(config: Config, log: Log): Promise<LocalWorld> {
  const want = { mongo: config.mongodbUri === null, evm: config.localDevnets };
  if (!want.mongo && !want.evm) return NOTHING_LOCAL;
  const devnet = await joinDevnet({
    dataDir: config.dataDir,
    version: packageVersion(),
    want,
    evmPort: config.localEvmPort,
    log: (message) => log.info({ part: 'devnet' }, message),
  });
  try {
    return await worldOn(devnet);
  } catch (error) {
    await devnet.leave({ graceful: true });
    throw error;
  }
}

async function worldOn(devnet: Devnet): Promise<LocalWorld> {
  const tokens = localEvmTokens();
  return {
    mongoUri: devnet.mongo?.uri ?? null,
    evm: devnet.evm ? await prepareEvmWorld({ rpcUrl: devnet.evm.rpcUrl, tokens }) : null,
    onLost: (callback) => devnet.onLost(callback),
    leave: (how) => devnet.leave(how),
  };
}

/** `GET /devnet.json` (decisions, "Local devnets and the embedded default"). */
export function describeDevnet({ evm }: LocalWorld, catalog: Catalog): DevnetDescription | null {
  const chain = catalog.chains.find(({ local, family }) => local && family === 'evm');
  if (evm === null || !chain) return null;
  return {
    evm: {
      rpcUrl: evm.rpcUrl,
      chainId: chain.chainId,
      router: evm.router,
      tokens: chain.tokens.map(({ key, address, decimals }) => ({ tokenKey: key, address, decimals })),
      wallets: evm.wallets.map(({ name, address, privateKey, behaviour }) => ({
        name,
        address,
        privateKey,
        behaviour,
      })),
    },
  };
}

/** What a new merchant finds done: the test wallets that approve everybody have approved its operator. */
export async function welcomeMerchant(
  { evm }: LocalWorld,
  chain: Chain | undefined,
  merchant: MerchantDoc,
): Promise<void> {
  if (evm !== null && chain) await approveOperator(evm, chain.operatorFor(merchant._id, 'test'));
}
