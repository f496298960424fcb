import type { CatalogToken } from '../../../src/chains/catalog.ts';
import { createEvmChain } from '../../../src/chains/evm/chain.ts';
import type { EvmSizes } from '../../../src/chains/evm/context.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import type { Chain } from '../../../src/chains/port.ts';
import type { ChainTiming } from '../../../src/chains/timing.ts';
import type { ChargeDoc, TransactionDoc } from '../../../src/store/collections.ts';
import type { RecordStore } from '../../../src/store/port.ts';
import { ChainBench, type SharedDeps, type SharedWish, urlsOf } from '../support/bench.ts';
import type { World } from './world.ts';

export interface ChainWish extends SharedWish {
  readonly confirmations?: number;
  readonly routers?: readonly string[];
  readonly firstRouter?: string;
  readonly symbols?: readonly string[];
  readonly sizes?: Partial<EvmSizes>;
  readonly tipGweiMax?: number;
}

/** A store, a listener, and EVM chains on them. */
export class Bench extends ChainBench<ChainWish> {
  readonly world: World;

  constructor(world: World, records?: RecordStore) {
    super(records);
    this.world = world;
  }

  override chain(wish: ChainWish = {}): Chain {
    return super.chain(wish);
  }

  /** The current transaction of a charge. */
  async transactionOf(charge: ChargeDoc): Promise<TransactionDoc> {
    const { transactionId } = await this.read(charge);
    const [transaction] = await this.records.get('transactions', [transactionId ?? '']);
    if (!transaction) throw new Error(`charge ${charge._id} is in no transaction`);
    return transaction;
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

  async isPending(charge: ChargeDoc): Promise<boolean> {
    const { transactionId } = await this.read(charge);
    const [transaction] = await this.records.get('transactions', [transactionId ?? '']);
    const newest = transaction?.versions.at(-1);
    return newest !== undefined && this.world.isPending(newest.hash);
  }

  protected override make(wish: ChainWish, timing: Partial<ChainTiming>, deps: SharedDeps): Chain {
    const { world } = this;
    const { tipGweiMax = 50 } = wish;
    const tokens = [
      testToken(world.chainId, 'USDC', world.usdc, world.decimals, wish.symbols),
      testToken(world.chainId, 'USDT', world.usdt, 6),
    ];
    return createEvmChain(
      {
        chain: {
          chainId: world.chainId,
          label: 'Test',
          testnet: true,
          tokens,
          blockMs: 50,
          confirmations: 1,
          tipGweiMax,
        },
        rpcUrls: urlsOf(wish, world.anvil.rpcUrl),
        routers: wish.routers ?? [world.router],
        ...(wish.firstRouter === undefined ? {} : { firstRouter: wish.firstRouter }),
        confirmations: wish.confirmations ?? 1,
        timing,
        ...(wish.sizes ? { sizes: wish.sizes } : {}),
      },
      {
        ...deps,
        mandates: new MandateReader(deps.records),
        signers: world.senderKeys.slice(0, wish.senders ?? 1).map(createLocalSigner),
      },
    );
  }
}

function testToken(
  chainId: number,
  ticker: string,
  address: string,
  decimals: number,
  symbols?: readonly string[],
): CatalogToken {
  const key = `${ticker.toLowerCase()}-test`;
  return { key, ticker, decimals, chainId, family: 'evm', address, symbols: symbols ?? [ticker] };
}
