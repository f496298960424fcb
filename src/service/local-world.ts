import type { JsonObject } from '../../machines/json.ts';
import { buildCatalog, type Catalog, type CatalogChain, type LocalToken } from '../chains/catalog.ts';
import type { Chain } from '../chains/port.ts';
import type { DevnetDescription } from '../http/deps.ts';
import type { ChainFamily, MerchantDoc } from '../store/collections.ts';

/** The local chains that run on this machine for the service, and the contracts and accounts on them. */
export interface LocalWorld {
  /** null: no local EVM chain runs. */
  readonly evm: EvmWorld | null;
  /** null: no local Solana chain runs. */
  readonly solana: SolanaWorld | null;
  /**
   * Calls back once when a part dies; immediately if one is dead already. `why` names the part, its exit and its last
   * output.
   */
  onLost(callback: (why: string) => void): void;
  /**
   * Makes the test wallets that approve every merchant approve these operators without limit, for every test token.
   * Resolves when the approvals are in blocks.
   */
  approve(operators: ReadonlyMap<ChainFamily, string>): Promise<void>;
}

/**
 * A test wallet of the local EVM chain, as `GET /devnet.json` shows it (docs/rules.md, "Local devnets and the embedded
 * default").
 */
export interface TestWallet {
  readonly name: string;
  readonly address: string;
  readonly privateKey: string;
  /** One sentence for a person who wants to use it. */
  readonly behaviour: string;
}

/** The contracts and accounts of a prepared local EVM chain. Addresses are checksummed, keys are 0x-hex. */
export interface EvmWorld {
  readonly rpcUrl: string;
  readonly router: string;
  readonly ownerKey: string;
  /** Keys that may ask the router for charges. Each has gas; the caller counts its nonces. */
  readonly senderKeys: readonly string[];
  readonly tokens: readonly LocalToken[];
  readonly wallets: readonly TestWallet[];
  /** The receiver of the platform's fees: the address of the wallet `platform`. */
  readonly platform: string;
}

/** A test wallet of the local Solana chain, as `GET /devnet.json` shows it. */
interface SolanaTestWallet {
  readonly name: string;
  readonly address: string;
  /** Base58 of 64 bytes. */
  readonly secretKey: string;
  readonly behaviour: string;
}

/** The accounts of the local Solana chain, from its first block on. */
export interface SolanaWorld {
  readonly rpcUrl: string;
  /** Identifies the chain; derived from the data folder. */
  readonly genesisHash: string;
  /** The seed of merchants' delegates. */
  readonly operatorSeed: Uint8Array;
  /** The payers of fees; base58 of 64 bytes each. */
  readonly feePayers: readonly string[];
  readonly tokens: readonly LocalToken[];
  readonly wallets: readonly SolanaTestWallet[];
  /** The receiver of the platform's fees: the address of the wallet `platform`. */
  readonly platform: string;
}

/** No local chain runs. */
export const NO_LOCAL_WORLD: LocalWorld = { evm: null, solana: null, onLost: () => {}, approve: async () => {} };

/** The catalog, with the local chains that run, and the least amounts that the operator has set. */
export function catalogOf({ evm, solana }: LocalWorld, minimumCents: ReadonlyMap<number, bigint> = new Map()): Catalog {
  return buildCatalog({
    minimumCents,
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

/** Prepares the local chains for a new merchant: the test wallets that approve everybody approve its operators. */
export async function welcomeMerchant(
  world: LocalWorld,
  chains: readonly Chain[],
  merchant: MerchantDoc,
): Promise<void> {
  await world.approve(new Map(chains.map((chain) => [chain.family, chain.operatorFor(merchant._id, 'test')])));
}
