import type { JsonObject } from '../../machines/json.ts';
import { buildCatalog, type Catalog, type CatalogChain, localEvmTokens } from '../chains/catalog.ts';
import type { Chain } from '../chains/port.ts';
import { approveOperator } from '../devnet/approve-operator.ts';
import { type EvmWorld, prepareEvmWorld } from '../devnet/evm-world.ts';
import type { Devnet } from '../devnet/join.ts';
import { solanaGenesisHash } from '../devnet/solana-marker.ts';
import { type SolanaWorld, solanaWorld } from '../devnet/solana-world.ts';
import type { DevnetDescription } from '../http/deps.ts';
import type { ChainFamily, MerchantDoc } from '../store/collections.ts';

/** The local chains that run on this machine for the service, and what is deployed on them. */
export interface LocalWorld {
  /** null where the local devnets do not run. */
  readonly evm: EvmWorld | null;
  /** null where the local Solana chain does not run. */
  readonly solana: SolanaWorld | null;
  onLost(callback: (why: string) => void): void;
}

/** What there is on the parts that were joined; contracts and test tokens are deployed where they are not yet. */
export async function openLocalWorld(devnet: Devnet | null): Promise<LocalWorld> {
  const tokens = localEvmTokens();
  return {
    evm: devnet?.evm ? await prepareEvmWorld({ rpcUrl: devnet.evm.rpcUrl, tokens }) : null,
    solana: devnet?.solana ? solanaWorld(devnet.solana.rpcUrl, solanaGenesisHash(devnet.folderId)) : null,
    onLost: (callback) => devnet?.onLost(callback),
  };
}

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
  { evm, solana }: LocalWorld,
  chains: readonly Chain[],
  merchant: MerchantDoc,
): Promise<void> {
  const operators = new Map(chains.map((chain) => [chain.family, chain.operatorFor(merchant._id, 'test')]));
  const [spender, delegate] = [operators.get('evm'), operators.get('solana')];
  await Promise.all([
    evm !== null && spender !== undefined ? approveOperator(evm, spender) : undefined,
    solana !== null && delegate !== undefined ? welcomeOnSolana(solana, delegate) : undefined,
  ]);
}

/** Loaded when it is wanted: Solana's libraries take their time, and not every installation has a Solana chain. */
async function welcomeOnSolana(solana: SolanaWorld, delegate: string): Promise<void> {
  const { approveDelegate } = await import('../devnet/approve-delegate.ts');
  await approveDelegate(solana, delegate);
}
