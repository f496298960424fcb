import type { Catalog, CatalogChain, EvmCatalogChain, SolanaCatalogChain } from '../chains/catalog.ts';
import { type ChainContext, type ChainTiming, LEASE_MS, timedRpc } from '../chains/context.ts';
import { createEvmChain } from '../chains/evm/chain.ts';
import { createLocalSigner, createRemoteSigner, type Signer, signerWithoutKey } from '../chains/evm/signer.ts';
import type { MandateReader } from '../chains/mandate-reader.ts';
import type { Chain, ChargeListener } from '../chains/port.ts';
import { JsonRpc, type OpenRpc } from '../chains/rpc.ts';
import type { Delegates, KeyRoot } from '../chains/solana/key-root.ts';
import {
  createRemoteSolanaSigner,
  keyFromSecret,
  type SolanaSigner,
  solanaSignerWithoutKey,
} from '../chains/solana/keys.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { FaultHook } from '../engine/faults.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Durations } from '../observability/durations.ts';
import type { Log } from '../observability/log.ts';
import { newId } from '../store/ids.ts';
import type { LedgerStore } from '../store/port.ts';
import { storeLeases, type Workers } from '../store/workers.ts';
import type { LocalWorld } from './local-world.ts';

type SolanaCode = Pick<typeof import('../chains/solana/chain.ts'), 'createSolanaChain'> &
  Pick<typeof import('../chains/solana/key-root.ts'), 'rootOfSeed' | 'rootOfPublicKey' | 'Delegates'> &
  Pick<typeof import('../chains/solana/reader/chain-reader.ts'), 'solanaChainReader'>;

/**
 * The code for Solana chains; null if this installation has none. Its libraries load slowly: begin early, and await the
 * result when the chains are opened.
 */
export async function loadSolana(config: Config): Promise<SolanaCode | null> {
  const isWanted = config.localSolana || config.chains.some(({ family }) => family === 'solana');
  if (!isWanted) return null;
  const chain = await import('../chains/solana/chain.ts');
  const [keys, reader] = await Promise.all([
    import('../chains/solana/key-root.ts'),
    import('../chains/solana/reader/chain-reader.ts'),
  ]);
  return { ...chain, ...keys, ...reader };
}

/**
 * The local chain makes a block within some 20 ms of a transaction, so a later question only adds delay. A transaction
 * that is in no block after a second offers too low a fee.
 */
const LOCAL_TIMING = { askFirstMs: 25, replaceMs: 1_000 } as const;

export interface ChainsDeps {
  readonly config: Config;
  /** The workers that share the senders and log watchers. */
  readonly workers: Workers;
  readonly world: LocalWorld;
  readonly catalog: Catalog;
  readonly store: LedgerStore;
  readonly mandates: MandateReader;
  readonly listener: ChargeListener;
  /** Null: no Solana chain is opened. */
  readonly solana: SolanaCode | null;
  readonly delegates: SolanaDelegates;
  readonly clock: () => Date;
  readonly log: Log;
  readonly fault: FaultHook;
  /** Notes how long a node took to answer. */
  readonly asked: Durations['asked'];
  /** Notes the date of a node's answer. */
  readonly dated: (host: string, date: Date) => void;
}

/** The chains that this installation reaches: the configured ones, and the local ones that run. */
export function openChains(deps: ChainsDeps): Chain[] {
  const { store, clock, workers } = deps;
  const shared = {
    records: store.records,
    listener: deps.listener,
    leases: storeLeases({ records: store.records, workers, leaseMs: LEASE_MS, clock }),
    clock,
    newId: () => newId('txn', clock()),
    fault: deps.fault,
    log: deps.log,
  };
  return deps.catalog.chains.flatMap((chain) =>
    chain.family === 'evm' ? openEvm(deps, chain, shared) : openSolana(deps, chain, shared),
  );
}

type Shared = Pick<ChainContext, 'records' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'>;

function openEvm(deps: ChainsDeps, chain: EvmCatalogChain, shared: Shared): Chain[] {
  const connection = evmConnection(deps, chain);
  if (!connection) return [];
  const { signers, ...reached } = connection;
  return [
    createEvmChain(
      { chain, ...reached },
      { ...shared, mandates: deps.mandates, signers, openRpc: timedOn(deps, chain) },
    ),
  ];
}

function openSolana(deps: ChainsDeps, chain: SolanaCatalogChain, shared: Shared): Chain[] {
  const { solana } = deps;
  const connection = solanaConnection(deps, chain);
  if (!connection || !solana) return [];
  const { feePayers, ...reached } = connection;
  const delegates = delegatesOn(deps.delegates, chain);
  return [
    solana.createSolanaChain({ chain, delegates, ...reached }, { ...shared, feePayers, openRpc: timedOn(deps, chain) }),
  ];
}

/** Connections to the nodes of a chain, whose answers are timed. */
function timedOn({ asked, dated }: ChainsDeps, { chainId }: CatalogChain): OpenRpc {
  return timedRpc(
    (options) => new JsonRpc({ ...options, onDate: (date) => dated(new URL(options.url).host, date) }),
    (call, seconds) => asked({ chainId, ...call }, seconds),
  );
}

type Reached = Pick<ChainsDeps, 'world' | 'config'>;

/** The connection of this installation to an EVM chain; null: it has none. */
export function evmConnection({ world, config }: Reached, chain: CatalogChain): EvmConnection | null {
  return chain.local ? localEvmConnection(world, config, chain) : configuredEvmConnection(config, chain);
}

/** The connection of this installation to a Solana chain; null: it has none. */
export function solanaConnection({ world, config }: Reached, chain: SolanaCatalogChain): SolanaConnection | null {
  return chain.local ? localSolanaConnection(world, config, chain) : configuredSolanaConnection(config, chain);
}

interface EvmConnection {
  readonly rpcUrls: readonly [string, ...string[]];
  readonly routers: readonly string[];
  readonly confirmations: number | null;
  readonly signers: readonly Signer[];
  readonly timing: Partial<ChainTiming>;
}

function localEvmConnection({ evm }: LocalWorld, config: Config, { chainId }: CatalogChain): EvmConnection | null {
  if (evm === null) return null;
  const signers = evm.senderKeys.map(createLocalSigner);
  return {
    rpcUrls: [evm.rpcUrl],
    routers: [evm.router],
    confirmations: config.confirmations.get(chainId) ?? null,
    signers: config.role === 'api' ? signers.map(({ address }) => signerWithoutKey(address)) : signers,
    timing: LOCAL_TIMING,
  };
}

function configuredEvmConnection(config: Config, { chainId }: CatalogChain): EvmConnection | null {
  const configured = config.chains.find((chain) => chain.chainId === chainId);
  const [first, ...others] = configured?.rpcUrls ?? [];
  if (!configured || first === undefined) return null;
  return {
    rpcUrls: [first, ...others],
    routers: configured.routers,
    confirmations: config.confirmations.get(chainId) ?? null,
    signers: [
      ...config.senderKeysEvm.map(createLocalSigner),
      ...config.senderAddressesEvm.map((address) =>
        config.signerEvm === null ? signerWithoutKey(address) : createRemoteSigner(config.signerEvm, address),
      ),
    ],
    timing: {},
  };
}

interface SolanaConnection {
  readonly rpcUrls: readonly [string, ...string[]];
  readonly genesisHash: string;
  readonly confirmations: number | null;
  readonly feePayers: readonly SolanaSigner[];
}

function localSolanaConnection(
  { solana }: LocalWorld,
  config: Config,
  { chainId }: CatalogChain,
): SolanaConnection | null {
  if (solana === null) return null;
  const { rpcUrl, genesisHash } = solana;
  const signers = solana.feePayers.map(keyFromSecret);
  const feePayers = config.role === 'api' ? signers.map(({ address }) => solanaSignerWithoutKey(address)) : signers;
  const confirmations = config.confirmations.get(chainId) ?? null;
  return { rpcUrls: [rpcUrl], genesisHash, confirmations, feePayers };
}

function configuredSolanaConnection(
  config: Config,
  { chainId, genesisHash, label }: SolanaCatalogChain,
): SolanaConnection | null {
  const configured = config.chains.find((chain) => chain.chainId === chainId);
  const [first, ...others] = configured?.rpcUrls ?? [];
  if (!configured || first === undefined) return null;
  if (genesisHash === null) throw new Error(`${label} has no genesis hash in the catalog`);
  return {
    rpcUrls: [first, ...others],
    genesisHash,
    confirmations: config.confirmations.get(chainId) ?? null,
    feePayers: [
      ...config.senderKeysSolana.map(keyFromSecret),
      ...config.senderAddressesSolana.map((address) =>
        config.signerSolana === null
          ? solanaSignerWithoutKey(address)
          : createRemoteSolanaSigner(config.signerSolana, address),
      ),
    ],
  };
}

/** Null: this installation has no such chain, or no operators on it. */
interface SolanaDelegates {
  readonly local: Delegates | null;
  readonly configured: Delegates | null;
}

interface SolanaDelegatesDeps {
  readonly config: Pick<Config, 'role' | 'operatorSeed' | 'operatorPublicKey'>;
  readonly world: Pick<LocalWorld, 'solana'>;
  /** Null: there is no Solana chain. */
  readonly solana: SolanaCode | null;
}

/** The delegates of both kinds of Solana chains. Throws a ConfigError if `OPERATOR_PUBLIC_KEY` is no key. */
export function openSolanaDelegates({ config, solana, world }: SolanaDelegatesDeps): SolanaDelegates {
  if (!solana) return { local: null, configured: null };
  const open = (root: KeyRoot | null) => (root === null ? null : new solana.Delegates(root));
  const local = world.solana && localRoot(solana, config, world.solana.operatorSeed);
  return { local: open(local), configured: open(configuredRoot(solana, config)) };
}

export function delegatesOn(
  { local, configured }: SolanaDelegates,
  chain: Pick<CatalogChain, 'local'>,
): Delegates | null {
  return chain.local ? local : configured;
}

/** The seed of a local chain is public. Even so, a process that only serves requests uses no secret. */
function localRoot(solana: SolanaCode, { role }: Pick<Config, 'role'>, seed: Uint8Array): KeyRoot {
  const root = solana.rootOfSeed(seed);
  return role === 'api' ? solana.rootOfPublicKey(root.publicKey) : root;
}

function configuredRoot(solana: SolanaCode, { operatorSeed, operatorPublicKey }: SolanaDelegatesDeps['config']) {
  if (operatorSeed !== null) return solana.rootOfSeed(operatorSeed);
  return operatorPublicKey && publicRoot(solana, operatorPublicKey);
}

function publicRoot(solana: SolanaCode, publicKey: Uint8Array): KeyRoot {
  try {
    return solana.rootOfPublicKey(publicKey);
  } catch (error) {
    throw new ConfigError([`OPERATOR_PUBLIC_KEY is no public key: ${messageOf(error)}`]);
  }
}
