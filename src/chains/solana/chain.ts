import type { Mode } from '../../store/documents.ts';
import type { CatalogChain } from '../catalog.ts';
import { ChainLoops } from '../chain-loops.ts';
import { type Consent, OPEN } from '../consent.ts';
import type { ChainContext } from '../context.ts';
import type {
  AddressRole,
  AllowanceRead,
  AllowanceState,
  Approvals,
  Chain,
  ChainHealth,
  DepositAddress,
  DepositRead,
  DepositState,
} from '../port.ts';
import { Reconciler } from '../reconciler/reconciler.ts';
import { type OpenRpc, openRpcs } from '../rpc.ts';
import { SenderLoop } from '../sender/sender-loop.ts';
import { WaitingWindow } from '../sender/window.ts';
import { type ChainTiming, chainTiming } from '../timing.ts';
import { Troubles } from '../troubles.ts';
import { readAllowances } from './allowances.ts';
import { solanaApprovals } from './approvals.ts';
import type { SolanaContext } from './context.ts';
import { Delegates } from './delegates.ts';
import { openDeposit, readDeposits } from './deposits.ts';
import { NO_ROOT } from './key-root.ts';
import type { SolanaSigner } from './keys.ts';
import { SolanaLink } from './link.ts';
import { SignatureWatcher } from './logs/watcher.ts';
import { SOLANA_SIZES, type SolanaSizes } from './options.ts';
import { parseSolanaAddress } from './plan.ts';
import { solanaReconciling } from './reconciler/strategy.ts';
import { RestoredGate } from './restored/gate.ts';
import { SolanaSender } from './sender/strategy.ts';
import { AssociatedAccounts } from './token-account.ts';
import { hasKey, KEYLESS, whyUnpayable, whyWithoutAccount } from './unpayable.ts';

/** The configuration of one Solana chain. */
export interface SolanaChainConfig {
  readonly chain: Pick<CatalogChain, 'chainId' | 'label' | 'tokens' | 'blockMs'>;
  /** `RPC_URL_<chainId>`: at least one, in the order of preference. May hold credentials. */
  readonly rpcUrls: readonly [string, ...string[]];
  /** Identifies the chain: a node with another hash is asked for nothing else. */
  readonly genesisHash: string;
  /**
   * The addresses that `OPERATOR_SEED` gives, and in a process with the seed their keys; null: the chain is not
   * enabled.
   */
  readonly delegates: Delegates | null;
  /** `CONFIRMATIONS_<chainId>`; null: the commitment `confirmed`. */
  readonly confirmations: number | null;
  readonly timing?: Partial<ChainTiming>;
  readonly sizes?: Partial<SolanaSizes>;
  /** Whether a start searches for transactions that the ledger does not know. Default: true. */
  readonly searchesForUnknown?: boolean;
}

export interface SolanaChainDeps
  extends Pick<ChainContext, 'records' | 'listener' | 'leases' | 'clock' | 'newId' | 'fault' | 'log'> {
  /** `SENDER_KEYS_SOLANA`: one signing queue for each. The order is the same in every process. */
  readonly feePayers: readonly SolanaSigner[];
  /** How to connect to nodes. Default: HTTP. */
  readonly openRpc?: OpenRpc;
}

/**
 * A Solana chain (docs/rules.md, "Operators, consent, allowances"). It is enabled if RPC, delegates and a fee payer are
 * configured. Before it signs anything, it checks genesis hash and mints. While that fails, or no node answers, it
 * waits, and `health` says so.
 */
export function createSolanaChain(config: SolanaChainConfig, deps: SolanaChainDeps): Chain {
  return new SolanaChain(config, deps);
}

class SolanaChain implements Chain {
  readonly chainId: number;
  readonly family = 'solana';
  readonly router = null;
  readonly routers = [];
  readonly permits = null;
  readonly approvals: Approvals;
  readonly enabled: boolean;
  readonly #hasOperators: boolean;
  readonly #ctx: SolanaContext;
  readonly #loops: ChainLoops;

  constructor(config: SolanaChainConfig, deps: SolanaChainDeps) {
    const { chainId, label, tokens, blockMs } = config.chain;
    this.chainId = chainId;
    this.#hasOperators = config.delegates !== null;
    this.enabled = this.#hasOperators && deps.feePayers.length > 0;
    const timing = chainTiming(blockMs, config.timing);
    const sizes = { ...SOLANA_SIZES, ...config.sizes };
    const { feePayers, openRpc, ...shared } = deps;
    const rpcs = openRpcs(config.rpcUrls, timing, sizes.rpcBatch, openRpc);
    const { clock, log } = shared;
    const troubles = new Troubles();
    const { genesisHash, confirmations } = config;
    this.#ctx = {
      ...shared,
      chainId,
      confirmations,
      link: new SolanaLink({ chainId, genesisHash, tokens, rpcs, timing, troubles, clock, log }),
      delegates: config.delegates ?? new Delegates(NO_ROOT),
      associated: new AssociatedAccounts(),
      troubles,
      timing,
      sizes,
      wakeReconciler: (inMs) => reconciler.wake(inMs),
      wakeQueues: () => this.wake(),
    };
    this.approvals = solanaApprovals(this.#ctx);
    const count = feePayers.length;
    const addresses = feePayers.map(({ address }) => address);
    const gate = new RestoredGate(this.#ctx, addresses, config.searchesForUnknown ?? true);
    const reconciler = new Reconciler(this.#ctx, solanaReconciling(this.#ctx));
    const window = new WaitingWindow(this.#ctx);
    this.#loops = new ChainLoops(this.#ctx, {
      label,
      enabled: this.enabled,
      hasOperators: this.#hasOperators,
      missing: this.#missing(),
      link: this.#ctx.link,
      queues: feePayers.map((feePayer, index) => {
        return new SenderLoop(
          this.#ctx,
          window.forQueue({ index, count }),
          new SolanaSender(this.#ctx, feePayer, gate),
        );
      }),
      others: [reconciler, new SignatureWatcher(this.#ctx)],
    });
  }

  operatorFor(merchantId: string, mode: Mode, { isBounded }: Pick<Consent, 'isBounded'> = OPEN): string {
    if (!this.#hasOperators) throw new Error(`Chain ${this.chainId} has no operators: OPERATOR_SEED is not configured`);
    return this.#ctx.delegates.of({ merchantId, mode }, isBounded).address;
  }

  readAllowances(reads: readonly AllowanceRead[]): Promise<(AllowanceState | null)[]> {
    return readAllowances(this.#ctx, reads);
  }

  async openDeposit(key: string): Promise<DepositAddress> {
    if (!this.#hasOperators) throw new Error(`Chain ${this.chainId} has no deposits: OPERATOR_SEED is not configured`);
    return openDeposit(this.#ctx, key);
  }

  async readDeposits(reads: readonly DepositRead[]): Promise<DepositState[]> {
    return readDeposits(this.#ctx, await this.#ctx.link.ready(), reads);
  }

  async acceptsSignature(): Promise<boolean> {
    return false;
  }

  async whyUnsuitable(address: string, role: AddressRole, tokens: readonly string[] = []): Promise<string | null> {
    const { of } = await this.#ctx.link.accounts([address]);
    const why = whyUnpayable(of.get(address) ?? null);
    if (why !== null || tokens.length === 0) return why ?? (role === 'payer' && !hasKey(address) ? KEYLESS : null);
    return whyWithoutAccount(this.#ctx, address, tokens);
  }

  parseAddress(address: string): string | null {
    return parseSolanaAddress(address);
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
    if (!this.#hasOperators) return 'OPERATOR_SEED is not configured';
    return this.enabled ? null : 'no fee payer is configured';
  }
}
