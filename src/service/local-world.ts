import type { JsonObject } from '../../machines/json.ts';
import { buildCatalog, type Catalog, type CatalogChain } from '../chains/catalog.ts';
import type { Chain } from '../chains/port.ts';
import type { DevnetDescription } from '../http/deps.ts';
import type { ChainFamily, MerchantDoc } from '../store/collections.ts';

/** The local chains that run on this machine for the service, and what is deployed on them. */
export interface LocalWorld {
  /** null where the local devnets do not run. */
  readonly evm: EvmWorld | null;
  /** null where the local Solana chain does not run. */
  readonly solana: SolanaWorld | null;
  /** Calls back once if a part dies; at once if that has happened. `why` names the part, its exit and its last words. */
  onLost(callback: (why: string) => void): void;
  /**
   * Makes the test wallets that approve every merchant approve these operators without limit, for every test token. Resolves
   * when that is in blocks.
   */
  approve(operators: ReadonlyMap<ChainFamily, string>): Promise<void>;
}

interface LocalToken {
  readonly ticker: string;
  readonly decimals: number;
  readonly address: string;
}

/** A test wallet of the local EVM chain, as `GET /devnet.json` shows it (docs/rules.md, "Local devnets and the embedded default"). */
export interface TestWallet {
  readonly name: string;
  readonly address: string;
  readonly privateKey: string;
  /** One sentence for whoever wants to try something with it. */
  readonly behaviour: string;
}

/** The contracts and accounts of a prepared local EVM chain. Addresses are checksummed, keys are 0x-hex. */
export interface EvmWorld {
  readonly rpcUrl: string;
  readonly router: string;
  /** Owns the router. */
  readonly ownerKey: string;
  /** May ask the router for charges; each has gas, and its nonce is the caller's to count. */
  readonly senderKeys: readonly string[];
  readonly tokens: readonly LocalToken[];
  readonly wallets: readonly TestWallet[];
  /** Where the platform's fees go: the address of the wallet `platform`. */
  readonly platform: string;
}

/** A test wallet of the local Solana chain, as `GET /devnet.json` shows it. */
export interface SolanaTestWallet {
  readonly name: string;
  readonly address: string;
  /** Base58 of 64 bytes. */
  readonly secretKey: string;
  readonly behaviour: string;
}

/** The accounts of the local Solana chain, from its first block on. */
export interface SolanaWorld {
  readonly rpcUrl: string;
  /** Names the chain: follows from the data folder. */
  readonly genesisHash: string;
  /** Merchants' delegates are derived from it. */
  readonly operatorSeed: Uint8Array;
  /** Pay the fees; base58 of 64 bytes each. */
  readonly feePayers: readonly string[];
  readonly tokens: readonly LocalToken[];
  readonly wallets: readonly SolanaTestWallet[];
  /** Where the platform's fees go: the address of the wallet `platform`. */
  readonly platform: string;
}

/** No local chain runs. */
export const NO_LOCAL_WORLD: LocalWorld = { evm: null, solana: null, onLost: () => {}, approve: async () => {} };

/** The catalog, with the local chains where they run. */
export function catalogOf({ evm, solana }: LocalWorld): Catalog {
  return buildCatalog({
    ...(evm ? { localEvm: { tokens: evm.tokens } } : {}),
    ...(solana ? { localSolana: { tokens: solana.tokens } } : {}),
  });
}

/** `GET /devnet.json` (docs/rules.md, "Local devnets and the embedded default"). */
export function describeDevnet({ evm, solana }: LocalWorld, catalog: Catalog): DevnetDescription | null {
  const local = (wanted: ChainFamily) => catalog.chains.find(({ local, family }) => local && family === wanted);
  const [evmChain, solanaChain] = [local('evm'), local('solana')];
  if (evm === null || !evmChain) return null;
  return {
    evm: describeEvm(evm, evmChain),
    ...(solana !== null && solanaChain ? { solana: describeSolana(solana, solanaChain) } : {}),
  };
}

function describeEvm(evm: EvmWorld, { chainId, tokens }: CatalogChain): JsonObject {
  return {
    rpcUrl: evm.rpcUrl,
    chainId,
    router: evm.router,
    tokens: tokens.map(({ key, address, decimals }) => ({ tokenKey: key, address, decimals })),
    wallets: evm.wallets.map(({ name, address, privateKey, behaviour }) => ({ name, address, privateKey, behaviour })),
  };
}

function describeSolana({ rpcUrl, wallets }: SolanaWorld, { chainId, tokens }: CatalogChain): JsonObject {
  return {
    rpcUrl,
    chainId,
    tokens: tokens.map(({ key, address, decimals }) => ({ tokenKey: key, mint: address, decimals })),
    wallets: wallets.map(({ name, address, secretKey, behaviour }) => ({ name, address, secretKey, behaviour })),
  };
}

/** What a new merchant finds done: the test wallets that approve everybody have approved its operators. */
export async function welcomeMerchant(
  world: LocalWorld,
  chains: readonly Chain[],
  merchant: MerchantDoc,
): Promise<void> {
  await world.approve(new Map(chains.map((chain) => [chain.family, chain.operatorFor(merchant._id, 'test')])));
}
