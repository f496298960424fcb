import { Interface, parseUnits, ZeroAddress } from 'ethers';
import type { Mode } from '../../store/documents.ts';
import type { EvmCatalogChain } from '../catalog.ts';
import { ChainLoops } from '../chain-loops.ts';
import type { Consent } from '../consent.ts';
import type {
  AllowanceRead,
  AllowanceState,
  Chain,
  ChainHealth,
  DepositAddress,
  DepositRead,
  DepositState,
  Permits,
} from '../port.ts';
import { Reconciler } from '../reconciler/reconciler.ts';
import { NodeRefused, type OpenRpc, openRpcs } from '../rpc.ts';
import { SenderLoop } from '../sender/sender-loop.ts';
import { WaitingWindow } from '../sender/window.ts';
import { type ChainTiming, chainTiming } from '../timing.ts';
import { Troubles } from '../troubles.ts';
import { parseAddress } from './address.ts';
import { AllowanceReader } from './allowances.ts';
import { EVM_SIZES, type EvmContext, type EvmSizes } from './context.ts';
import { openDeposit, readDeposits } from './deposits.ts';
import { EvmLink } from './link.ts';
import { LogWatcher } from './logs/watcher.ts';
import { EvmPermits } from './permits/permits.ts';
import { evmReconciling } from './reconciler/strategy.ts';
import { Routers } from './routers.ts';
import { EvmSender } from './sender/strategy.ts';
import type { Signer } from './signer.ts';
import { hexBytes } from './wire.ts';

/** The configuration of one EVM chain. */
export interface EvmChainConfig {
  readonly chain: Pick<
    EvmCatalogChain,
    'chainId' | 'label' | 'tokens' | 'blockMs' | 'confirmations' | 'tipGweiMax' | 'testnet'
  >;
  /** `RPC_URL_<chainId>`: at least one, in the order of preference. May contain credentials. */
  readonly rpcUrls: readonly [string, ...string[]];
  /** `ROUTER_<chainId>`, the newest first. Empty: the chain is not enabled. */
  readonly routers: readonly string[];
  /** `CONFIRMATIONS_<chainId>`; null: the catalog's number. */
  readonly confirmations: number | null;
  readonly timing?: Partial<ChainTiming>;
  readonly sizes?: Partial<EvmSizes>;
}

interface EvmChainDeps
  extends Pick<EvmContext, 'records' | 'mandates' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'> {
  /** One queue for each; the order is the same in every process. */
  readonly signers: readonly Signer[];
  /** Opens connections to nodes; absent: over HTTP. */
  readonly openRpc?: OpenRpc;
}

/**
 * An EVM chain (docs/rules.md, "Operators, consent, allowances"). It is enabled if it has an RPC URL, a router and a
 * sender key. Before it signs anything it checks chain id, router code and tokens. While that fails, or no node
 * answers, it waits and reports the trouble.
 *
 * @throws Error when the router is no address
 */
export function createEvmChain(config: EvmChainConfig, deps: EvmChainDeps): Chain {
  return new EvmChain(config, deps);
}

class EvmChain implements Chain {
  readonly chainId: number;
  readonly family = 'evm';
  readonly enabled: boolean;
  readonly permits: Permits;
  readonly approvals = null;
  readonly #routers: Routers;
  readonly #ctx: EvmContext;
  readonly #loops: ChainLoops;

  constructor(config: EvmChainConfig, deps: EvmChainDeps) {
    const { chainId, label, tipGweiMax } = config.chain;
    this.chainId = chainId;
    this.#routers = new Routers(chainId, config.routers);
    const { signers, openRpc, ...shared } = deps;
    this.enabled = this.router !== null && signers.length > 0;
    const timing = chainTiming(config.chain.blockMs, config.timing);
    const sizes = { ...EVM_SIZES, ...config.sizes };
    const { clock, log } = shared;
    const troubles = new Troubles();
    const link = new EvmLink({
      chainId,
      routers: this.#routers.all,
      tokens: config.chain.tokens,
      tipMax: parseUnits(String(tipGweiMax), 'gwei'),
      rpcs: openRpcs(config.rpcUrls, timing, sizes.rpcBatch, openRpc),
      timing,
      troubles,
      clock,
      log,
    });
    this.#ctx = {
      ...shared,
      chainId,
      confirmations: config.confirmations ?? config.chain.confirmations,
      link,
      routers: this.#routers,
      allowances: new AllowanceReader(link, sizes.multicall),
      searched: new Map(),
      troubles,
      timing,
      sizes,
      wakeReconciler: (inMs) => reconciler.wake(inMs),
      wakeQueues: () => this.wake(),
    };
    this.permits = new EvmPermits(this.#ctx);
    const count = signers.length;
    const reconciler = new Reconciler(this.#ctx, evmReconciling(this.#ctx));
    const window = new WaitingWindow(this.#ctx);
    this.#loops = new ChainLoops(this.#ctx, {
      label,
      enabled: this.enabled,
      hasOperators: this.router !== null,
      missing: this.#missing(),
      link,
      queues: signers.map((signer, index) => {
        const queue = { index, count };
        return new SenderLoop(this.#ctx, window.forQueue(queue), new EvmSender(this.#ctx, signer, queue));
      }),
      others: [reconciler, new LogWatcher(this.#ctx, config.chain.testnet ? 'test' : 'live')],
    });
  }

  get router(): string | null {
    return this.#routers.newest;
  }

  get routers(): readonly string[] {
    return this.#routers.all;
  }

  operatorFor(merchantId: string, mode: Mode, consent: Consent = { isBounded: false, router: this.router }): string {
    if (this.router === null) {
      throw new Error(`Chain ${this.chainId} has no operators: ROUTER_${this.chainId} is not configured`);
    }
    return this.#routers.operatorFor({ merchantId, mode }, consent);
  }

  async readAllowances(reads: readonly AllowanceRead[]): Promise<(AllowanceState | null)[]> {
    const { tokens } = await this.#ctx.link.ready();
    return this.#ctx.allowances.readNewest(reads, tokens);
  }

  openDeposit(key: string): Promise<DepositAddress> {
    if (this.router === null) throw new Error(`Chain ${this.chainId} has no deposits: it has no router`);
    return openDeposit(this.#ctx, this.router, key);
  }

  async readDeposits(reads: readonly DepositRead[]): Promise<DepositState[]> {
    const { tokens } = await this.#ctx.link.ready();
    return readDeposits(this.#ctx, tokens, reads);
  }

  async acceptsSignature(wallet: string, digest: string, signature: string): Promise<boolean> {
    await this.#ctx.link.ready();
    return acceptsSignature(this.#ctx.link, wallet, digest, signature);
  }

  /** A router refuses a share for itself. */
  async whyUnsuitable(address: string): Promise<string | null> {
    return this.#routers.all.includes(address) ? 'the router, which only passes money on' : null;
  }

  parseAddress(address: string): string | null {
    const checksummed = parseAddress(address);
    return checksummed === ZeroAddress ? null : checksummed;
  }

  wake(): void {
    this.#loops.wake();
  }

  async start(): Promise<void> {
    this.#loops.start();
  }

  stop(): Promise<void> {
    return this.#loops.stop();
  }

  health(): Promise<ChainHealth> {
    return this.#loops.health();
  }

  #missing(): string | null {
    if (this.router === null) return `ROUTER_${this.chainId} is not configured`;
    return this.enabled ? null : 'no sender key is configured';
  }
}

const eip1271 = new Interface(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** A contract's answer for yes: the selector of `isValidSignature` (EIP-1271), in the first bytes of a word. */
const YES = '0x1626ba7e';

/**
 * True if the contract at `wallet` accepts the signature as its own (EIP-1271). False if there is no contract, or if it
 * reverts. Throws when the node does not answer.
 */
async function acceptsSignature(link: EvmLink, wallet: string, digest: string, signature: string): Promise<boolean> {
  const data = eip1271.encodeFunctionData('isValidSignature', [digest, signature]);
  try {
    const answer = hexBytes.parse(await link.call('eth_call', [{ to: wallet, data }, 'latest']));
    return answer.length >= 66 && answer.toLowerCase().startsWith(YES);
  } catch (error) {
    if (error instanceof NodeRefused && error.isRevert) return false;
    throw error;
  }
}
