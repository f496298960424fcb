import { getAddress } from 'ethers';
import { silentLog } from '../../../scripts/lib/silent-log.ts';
import { createPayment } from '../../../src/billing/payments/payments.ts';
import { buildCatalog, type Catalog, localEvmTokens } from '../../../src/chains/catalog.ts';
import { createEvmChain } from '../../../src/chains/evm/chain.ts';
import { createLocalSigner } from '../../../src/chains/evm/signer.ts';
import { MandateReader } from '../../../src/chains/mandate-reader.ts';
import { paymentContextOf } from '../../../src/model/payment.ts';
import type { DepositDoc } from '../../../src/store/collections.ts';
import { newId } from '../../../src/store/ids.ts';
import { storeLeases } from '../../../src/store/leases.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { Workers } from '../../../src/store/workers.ts';
import { type InProcessService, openInProcess } from '../../../stage/in-process-service.ts';
import { type EvmWorld, MERCHANT, startWorld } from '../../chains/evm/world.ts';
import { merchantOf } from '../../store/support/documents.ts';

const TIMING = { queueIdleMs: 50, askFirstMs: 20, reconcileIdleMs: 100, logsMs: 40, retryFirstMs: 50 } as const;

/** Billing over a separate real chain, in this process. */
export class Bank {
  readonly world: EvmWorld;
  readonly store: LedgerStore = openMemoryStore();
  readonly billing: InProcessService;
  readonly catalog: Catalog;
  #made = 0;

  private constructor(world: EvmWorld) {
    this.world = world;
    world.pump();
    const clock = (): Date => new Date();
    const addresses: Readonly<Record<string, string>> = { 'USDC-6': world.token, 'USDT-6': world.usdt };
    // The other tokens have addresses without a contract, so they are not enabled.
    const tokens = localEvmTokens().map(({ ticker, decimals }, index) => {
      const address = addresses[`${ticker}-${decimals}`] ?? getAddress(`0x${String(index + 1).padStart(40, '0')}`);
      return { ticker, decimals, address };
    });
    const catalog = buildCatalog({ localEvm: { tokens } });
    this.catalog = catalog;
    const row = catalog.chain(world.chainId);
    if (row?.family !== 'evm') throw new Error(`the catalog has no EVM chain ${world.chainId}`);
    const { records } = this.store;
    this.billing = openInProcess({
      clock,
      catalog,
      store: this.store,
      chains: (listener) => [
        createEvmChain(
          { chain: row, rpcUrls: [world.rpcUrl], routers: [world.router], confirmations: 1, timing: TIMING },
          {
            records,
            mandates: new MandateReader(records),
            listener,
            signers: world.senderKeys.map(createLocalSigner),
            leases: storeLeases({ records, workers: new Workers({ records }), leaseMs: 3_000, clock }),
            clock,
            newId: () => newId('txn', clock()),
            fault: async () => {},
            log: silentLog,
          },
        ),
      ],
    });
  }

  static async open(): Promise<Bank> {
    const bank = new Bank(await startWorld());
    for (const chain of bank.billing.chains.all()) await chain.start();
    return bank;
  }

  async close(): Promise<void> {
    for (const chain of this.billing.chains.all()) await chain.stop();
    await this.world.stop();
  }

  /** A payment of 10.00 of a merchant without a fee, which waits for a transfer. */
  async ask(refundWallet: string | null) {
    this.#made += 1;
    const merchantId = `mrc_${this.#made}`;
    await this.store.records.insert('merchants', [merchantOf(merchantId, { feeBps: 0 })]);
    const { resource } = await createPayment(
      this.billing.deps,
      { merchantId, mode: 'test' },
      {
        tokenKey: 'usdc-local-evm',
        chainId: this.world.chainId,
        family: 'evm',
        amount: DUE,
        toWallet: MERCHANT,
        fromWallet: null,
        paymentMethod: 'wallet_transfer',
        idempotencyKey: `order-${this.#made}`,
        customerId: null,
        affiliate: null,
        metadata: {},
        refundWallet,
        requestHash: '',
      },
    );
    return { id: resource._id, deposit: paymentContextOf(resource).deposit };
  }

  /** Tokens that `from` sends are in a block when it resolves. */
  async send(from: string, to: string, amount: bigint, token = this.world.token): Promise<void> {
    await this.world.mint(from, amount, token);
    await this.world.callToken(from, 'transfer', [to, amount], token);
  }

  async book(paymentId: string): Promise<DepositDoc> {
    const [doc] = await this.store.records.get('deposits', [paymentId]);
    if (!doc) throw new Error(`${paymentId} waits for no deposit`);
    return doc;
  }
}

/** The amount of a payment, base units. */
export const DUE = 10_000_000n;
