import { getAddress, ZeroAddress } from 'ethers';
import type { Mode } from '../../store/documents.ts';
import type { RecordStore } from '../../store/port.ts';
import type { CatalogChain } from '../catalog.ts';
import type { Leases } from '../leases.ts';
import type { Log } from '../log.ts';
import type {
  AllowanceRead,
  AllowanceState,
  Chain,
  ChainHealth,
  ChargeListener,
  DepositPlace,
  DepositRead,
  DepositState,
  Permits,
} from '../port.ts';
import { openRpcs } from '../rpc.ts';
import { healthOfSenders } from '../sender/senders.ts';
import { type ChainTiming, chainTiming } from '../timing.ts';
import { Troubles } from '../troubles.ts';
import { AllowanceReader } from './allowances.ts';
import type { EvmContext } from './context.ts';
import { acceptsSignature } from './contract-wallets.ts';
import { operatorAddress } from './contracts/router.ts';
import { openDeposit, readDeposits } from './deposits.ts';
import { EvmLink } from './link.ts';
import { LogWatcher } from './logs/watcher.ts';
import { EVM_SIZES, type EvmSizes } from './options.ts';
import { EvmPermits } from './permits/permits.ts';
import { Reconciler } from './reconciler/reconciler.ts';
import { SenderLane } from './sender/lane.ts';
import type { Signer } from './signer.ts';

/** One EVM chain as it is configured. */
export interface EvmChainConfig {
  readonly chain: Pick<CatalogChain, 'chainId' | 'label' | 'tokens' | 'blockMs' | 'confirmations'>;
  /** `RPC_URL_<chainId>`: at least one, in the order of preference. May hold credentials. */
  readonly rpcUrls: readonly [string, ...string[]];
  /** `ROUTER_<chainId>`; null: the chain is not enabled. */
  readonly router: string | null;
  /** `CONFIRMATIONS_<chainId>`; null: the catalog's. */
  readonly confirmations: number | null;
  readonly timing?: Partial<ChainTiming>;
  readonly sizes?: Partial<EvmSizes>;
}

export interface EvmChainDeps {
  readonly records: RecordStore;
  readonly listener: ChargeListener;
  /** One lane each; the order is the same in every process. */
  readonly signers: readonly Signer[];
  readonly leases: Leases;
  readonly clock: () => Date;
  /** A fresh id for a transaction. */
  readonly newId: () => string;
  readonly fault: EvmContext['fault'];
  readonly log: Log;
}

/** Health is asked of the node itself only when nothing else has been for so long. */
const HEALTH_STALE_MS = 10_000;

/**
 * An EVM chain (decisions: Operators, consent, allowances). Enabled with RPC, router and a sender key; before it signs
 * anything it checks chain id, router code and tokens, and while that fails or nobody answers it waits and says so.
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
  readonly #label: string;
  readonly #router: string | null;
  readonly #ctx: EvmContext;
  readonly #lanes: readonly SenderLane[];
  readonly #reconciler: Reconciler;
  readonly #watcher: LogWatcher;
  #started = false;

  constructor(config: EvmChainConfig, deps: EvmChainDeps) {
    const { chainId, label } = config.chain;
    this.chainId = chainId;
    this.#label = label;
    this.#router = config.router === null ? null : readRouter(config.router, chainId);
    this.enabled = this.#router !== null && deps.signers.length > 0;
    const timing = chainTiming(config.chain.blockMs, config.timing);
    const sizes = { ...EVM_SIZES, ...config.sizes };
    const { clock, log, records, listener, leases, newId, fault } = deps;
    const troubles = new Troubles();
    const link = new EvmLink({
      chainId,
      router: this.#router,
      tokens: config.chain.tokens,
      rpcs: openRpcs(config.rpcUrls, timing, sizes.rpcBatch),
      timing,
      troubles,
      clock,
      log,
    });
    this.#ctx = {
      records,
      listener,
      leases,
      clock,
      newId,
      fault,
      log,
      chainId,
      confirmations: config.confirmations ?? config.chain.confirmations ?? 1,
      link,
      allowances: new AllowanceReader(link, sizes.multicall),
      troubles,
      timing,
      sizes,
      pokeReconciler: (inMs) => this.#reconciler.poke(inMs),
      pokeLanes: () => this.poke(),
    };
    const operatorFor = (merchantId: string, mode: Mode) => this.operatorFor(merchantId, mode);
    this.permits = new EvmPermits({ ctx: this.#ctx, operatorFor });
    const count = deps.signers.length;
    this.#lanes = deps.signers.map((signer, index) => new SenderLane(this.#ctx, signer, { index, count }));
    this.#reconciler = new Reconciler(this.#ctx);
    this.#watcher = new LogWatcher(this.#ctx);
  }

  operatorFor(merchantId: string, mode: Mode): string {
    if (this.#router === null) {
      throw new Error(`Chain ${this.chainId} has no operators: ROUTER_${this.chainId} is not configured`);
    }
    return operatorAddress(this.#router, merchantId, mode);
  }

  async readAllowances(reads: readonly AllowanceRead[]): Promise<AllowanceState[]> {
    await this.#ctx.link.ready();
    return this.#ctx.allowances.readNewest(reads);
  }

  openDeposit(key: string): Promise<DepositPlace> {
    if (this.#router === null) throw new Error(`Chain ${this.chainId} has no deposits: it has no router`);
    return openDeposit(this.#ctx, this.#router, key);
  }

  async readDeposits(reads: readonly DepositRead[]): Promise<DepositState[]> {
    const { tokens } = await this.#ctx.link.ready();
    return readDeposits(this.#ctx, tokens, reads);
  }

  async acceptsSignature(wallet: string, digest: string, signature: string): Promise<boolean> {
    await this.#ctx.link.ready();
    return acceptsSignature(this.#ctx.link, wallet, digest, signature);
  }

  parseAddress(address: string): string | null {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return null;
    try {
      const checksummed = getAddress(address);
      return checksummed === ZeroAddress ? null : checksummed;
    } catch {
      return null;
    }
  }

  poke(): void {
    for (const lane of this.#lanes) lane.poke();
  }

  /** Once only: a chain that has been stopped is made anew. */
  async start(): Promise<void> {
    if (this.#router === null) return;
    this.#started = true;
    this.#reconciler.start();
    this.#watcher.start();
    for (const lane of this.#lanes) lane.start();
  }

  async stop(): Promise<void> {
    this.#started = false;
    const timer = setTimeout(() => this.#ctx.link.abort(), this.#ctx.timing.stopGraceMs);
    await Promise.all([...this.#lanes, this.#reconciler, this.#watcher].map((part) => part.stop()));
    clearTimeout(timer);
    await this.#ctx.link.close();
  }

  async health(): Promise<ChainHealth> {
    const { records, link, troubles } = this.#ctx;
    await this.#lookIfStale();
    const open = await records.count('charges', {
      chainId: this.chainId,
      state: { in: ['waiting', 'started', 'sent', 'mined'] },
    });
    const senders = await healthOfSenders(this.#ctx, this.enabled ? this.#lanes.map(({ tank }) => tank) : []);
    const missing = this.enabled ? null : this.#missing();
    return {
      chainId: this.chainId,
      label: this.#label,
      enabled: this.enabled,
      trouble: missing ?? troubles.sentence,
      head: link.head,
      open,
      senders,
    };
  }

  #missing(): string {
    return this.#router === null ? `ROUTER_${this.chainId} is not configured` : 'no sender key is configured';
  }

  /** A process that runs no loops of this chain, or waits in all of them, asks once itself. What fails shows as trouble. */
  async #lookIfStale(): Promise<void> {
    const { link, clock } = this.#ctx;
    const answeredAt = link.answeredAt?.getTime() ?? 0;
    if (clock().getTime() - answeredAt < HEALTH_STALE_MS && (this.#started || link.head !== null)) return;
    await link
      .latest()
      .then(() => (this.#started || this.#router === null ? undefined : link.ready()))
      .catch(() => undefined);
  }
}

function readRouter(router: string, chainId: number): string {
  try {
    return getAddress(router);
  } catch {
    throw new Error(`ROUTER_${chainId} is no address: expected 20 bytes in hex, checksummed or in one case`);
  }
}
