import type { TransactionDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { IdlePause, Loop, pauseAfterFailure } from '../../loop.ts';
import { type FeeBalance, OutOfGas } from '../../sender/gas.ts';
import type { EvmContext } from '../context.ts';
import { type Market, mustAfford, readMarket } from '../fees.ts';
import type { Signer } from '../signer.ts';
import { gasEstimate } from '../wire.ts';
import { broadcast, refusedBy } from './broadcast.ts';
import type { GasGauge } from './gas-gauge.ts';
import { storeTransaction } from './ledger.ts';
import { replaceStuck } from './replace.ts';
import { sign } from './sign.ts';

/** More transactions than one sender has in flight. */
const AT_ONCE = 64;

interface KeeperOptions {
  readonly signer: Signer;
  readonly feeBalance: FeeBalance;
  /** The signing queue's guesses of gas. They are forgotten if a transaction had too little gas, or too much. */
  readonly gauge: Pick<GasGauge, 'forget' | 'most' | 'refused'>;
}

/**
 * Keeps one sender's nonces moving, also while its signing queue waits: it replaces transactions that take too long,
 * and fills gaps in the nonces. The reconciler broadcasts transactions again that a node has forgotten.
 */
export class NonceKeeper extends Loop {
  readonly #ctx: EvmContext;
  readonly #options: KeeperOptions;
  readonly #idle: IdlePause;
  isHeld: () => boolean = () => false;

  constructor(ctx: EvmContext, options: KeeperOptions) {
    super();
    this.#ctx = ctx;
    this.#options = options;
    this.#idle = new IdlePause(ctx.timing.replaceMs / 4);
  }

  protected override async run(): Promise<number> {
    const ctx = this.#ctx;
    const { signer, feeBalance, gauge } = this.#options;
    if (!this.isHeld()) return this.#idle.next();
    await ctx.link.ready();
    const overdue = await overdueOf(ctx, signer.address);
    const last = overdue.at(-1);
    if (last === undefined) {
      ctx.troubles.set(`stuck:${signer.address}`, null);
      ctx.troubles.set(refusedBy(signer.address), null);
      return this.#idle.next();
    }
    this.#idle.reset();
    const market = await readMarket(ctx.link, signer.address);
    feeBalance.saw(market.balance);
    // Transactions with a lower nonce are in blocks, or never will be: the reconciler finds out.
    const waiting = overdue.filter(({ nonce }) => nonce >= market.minedCount);
    await fillGaps(ctx, signer, market, last.nonce);
    await replaceStuck(ctx, signer, market, waiting, gauge);
    return ctx.timing.replaceMs / 4;
  }

  protected override failed(error: unknown, failures: number): number {
    const { timing } = this.#ctx;
    const { signer, feeBalance } = this.#options;
    if (error instanceof OutOfGas) feeBalance.short(error);
    const message = 'could not replace overdue transactions or fill gaps in the nonces; it tries again';
    const pause = pauseAfterFailure(this.#ctx, error, failures, message, { sender: signer.address });
    return Math.max(timing.replaceMs / 4, pause);
  }
}

/** Transactions that were signed, replaced or reorged out longer than `replaceMs` ago, by nonce. */
function overdueOf(ctx: EvmContext, sender: string): Promise<TransactionDoc[]> {
  const { chainId, records, timing } = ctx;
  return records.find('transactions', {
    where: { chainId, state: 'signed', sender, updatedAt: { lte: later(ctx, -timing.replaceMs) } },
    sort: [['nonce', 1]],
    limit: AT_ONCE,
  });
}

const FILLED_AT_ONCE = 32;

/** The number of nonces that are checked, from the first one that the chain has not used. */
const LOOKED_AT = 512;

/**
 * Fills the nonces that the chain has not used and the ledger does not know, below a transaction that waits; without
 * them that transaction would wait forever. A ledger that comes from a backup has such gaps. Each nonce gets an empty
 * transfer by the sender to itself, stored and followed like any other transaction. A transaction that the lost ledger
 * had for the nonce may still land instead.
 * @param last the highest nonce that waits
 * @throws OutOfGas, NodeUnreachable, NodeRefused
 */
async function fillGaps(ctx: EvmContext, signer: Signer, market: Market, last: number): Promise<void> {
  const missing = await missingNonces(ctx, signer.address, market.minedCount, last);
  if (missing.length === 0) return;
  const { address } = signer;
  ctx.log.warn(
    { chainId: ctx.chainId, sender: address, nonces: missing },
    'the ledger does not know these nonces; empty transfers fill them',
  );
  const call = { from: address, to: address, value: '0x0' };
  const gas = gasEstimate.parse(await ctx.link.call('eth_estimateGas', [call, 'latest']));
  const gasLimit = gas + gas / 3n;
  const fillers: TransactionDoc[] = [];
  for (const nonce of missing) {
    mustAfford(address, market.balance, gasLimit * market.fees.maxFeePerGas);
    const filler = { id: ctx.newId(), to: address, data: '0x', nonce, gasLimit, fees: market.fees, chargeIds: [] };
    const transaction = await sign(ctx, signer, filler);
    await ctx.fault('keeper.stored.before');
    if ((await storeTransaction(ctx, transaction)) === 'stored') fillers.push(transaction);
    await ctx.fault('keeper.stored.after');
  }
  await broadcast(ctx, fillers);
  ctx.wakeReconciler(ctx.timing.askFirstMs);
}

async function missingNonces(ctx: EvmContext, sender: string, from: number, to: number): Promise<number[]> {
  const end = Math.min(to, from + LOOKED_AT);
  if (end <= from) return [];
  const known = await ctx.records.find('transactions', {
    where: { chainId: ctx.chainId, sender, nonce: { gte: from, lt: end } },
    limit: LOOKED_AT,
  });
  const nonces = new Set(known.map(({ nonce }) => nonce));
  const missing: number[] = [];
  for (let nonce = from; nonce < end && missing.length < FILLED_AT_ONCE; nonce += 1) {
    if (!nonces.has(nonce)) missing.push(nonce);
  }
  return missing;
}
