import { silentLog } from '../../../scripts/lib/silent-log.ts';
import type { CatalogToken } from '../../../src/chains/catalog.ts';
import type { EvmChainRow } from '../../../src/chains/catalog-rows.ts';
import { chainTiming, Troubles } from '../../../src/chains/context.ts';
import { createEvmChain } from '../../../src/chains/evm/chain.ts';
import type { EvmSizes } from '../../../src/chains/evm/context.ts';
import { FeeLimits } from '../../../src/chains/evm/fee-limits.ts';
import { EvmLink } from '../../../src/chains/evm/link.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { RpcTransport } from '../../../src/chains/rpc.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import {
  ChainBench,
  type SharedConfig,
  type SharedDeps,
  type SharedWish,
  type UseOptions,
  useBench,
} from '../support/bench.ts';
import { EvmWorld, type WorldOptions } from './world.ts';

export interface EvmWish extends SharedWish {
  readonly confirmations?: number;
  readonly routers?: readonly string[];
  readonly symbols?: readonly string[];
  readonly sizes?: Partial<EvmSizes>;
  readonly tipGwei?: EvmChainRow['tipGwei'];
}

/** A store, a listener, and EVM chains on them. */
export class EvmBench extends ChainBench<EvmWish> {
  readonly world: EvmWorld;

  constructor(world: EvmWorld) {
    super();
    this.world = world;
  }

  /**
   * Waits until the newest version of each charge's own transaction is in the pool; other transactions do not count.
   */
  untilPending(...charges: readonly ChargeDoc[]): Promise<void> {
    return this.until(`the transactions of ${charges.length} charges are in the pool`, async () => {
      const pending = await Promise.all(charges.map((charge) => this.isPending(charge)));
      return pending.every((isPending) => isPending);
    });
  }

  /** Waits until the charge's transaction is in the pool, and then makes a block. */
  async mine(...charges: readonly ChargeDoc[]): Promise<void> {
    await this.untilPending(...charges);
    await this.world.mine();
  }

  async isPending(charge: ChargeDoc): Promise<boolean> {
    const { transactionId } = await this.read(charge);
    // Absent: not stored yet.
    const [transaction] = await this.records.get('transactions', [transactionId ?? '']);
    const newest = transaction?.versions.at(-1);
    return newest !== undefined && this.world.isPending(newest.hash);
  }

  protected override make(wish: EvmWish, { sizes, ...config }: SharedConfig, deps: SharedDeps): Chain {
    const { world } = this;
    const { chainId } = world;
    const { confirmations = 1, routers = [world.router], tipGwei = { min: 0, max: 50 } } = wish;
    const tokens = [
      testToken(chainId, 'USDC', world.token, world.decimals, wish.symbols),
      testToken(chainId, 'USDT', world.usdt, 6),
    ];
    const chain = { chainId, label: 'Test', testnet: true, tokens, blockMs: 50, confirmations: 1, tipGwei };
    return createEvmChain(
      { ...config, chain, routers, confirmations, sizes: { ...sizes, ...wish.sizes } },
      {
        ...deps,
        mandates: new MandateReader(deps.records),
        signers: world.senderKeys.slice(0, wish.senders ?? 1).map(createLocalSigner),
      },
    );
  }
}

/** The link to one node, without tokens. */
export function linkTo(
  rpc: RpcTransport,
  { chainId, routers }: { chainId: number; routers: readonly string[] },
): EvmLink {
  return new EvmLink({
    chainId,
    routers,
    tokens: [],
    rpcs: [rpc],
    timing: chainTiming(50),
    fees: new FeeLimits(0n, 50_000_000_000n),
    troubles: new Troubles(),
    clock: () => new Date(),
    log: silentLog,
  });
}

function testToken(
  chainId: number,
  ticker: string,
  address: string,
  decimals: number,
  symbols: readonly string[] = [ticker],
): CatalogToken {
  return { key: `${ticker.toLowerCase()}-test`, ticker, decimals, chainId, family: 'evm', address, symbols };
}

/** A chain that makes no blocks by itself unless it `pumps`, and a bench on it. */
export function useEvm({ pumps = false, perTest = false, ...options }: UseOptions & WorldOptions = {}) {
  const world = new EvmWorld(options);
  return { world, bench: useBench(new EvmBench(world), { pumps, perTest }) };
}
