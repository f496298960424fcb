import { unknownCase } from '../../../../machines/unknown-case.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { PermitDoc } from '../../../store/collections.ts';
import { later } from '../../context.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { dueIn, type QueueNumber } from '../../sender/take.ts';
import { Blocked } from '../../troubles.ts';
import type { EvmContext } from '../context.ts';
import { RouterRefuses } from '../sender/simulate.ts';
import type { Signer } from '../signer.ts';
import { asSeen, purgeAtOf } from './document.ts';
import { judgePermit, type PermitVerdict } from './judge.ts';
import { sendPermit } from './send.ts';

/** The most permits at once, so that charges behind them do not wait for long. */
const AT_ONCE = 8;

/** The permits that one sender's signing queue submits, before its charges and in the same order of nonces. */
export class PermitQueue {
  readonly #ctx: EvmContext;
  readonly #signer: Signer;
  readonly #place: QueueNumber;
  #checkAt = new Date(0);

  constructor(ctx: EvmContext, signer: Signer, place: QueueNumber) {
    this.#ctx = ctx;
    this.#signer = signer;
    this.#place = place;
  }

  /**
   * Submits waiting permits. Permits are fewer than charges, so it searches only as often as an idle signing queue. A permit
   * that cannot be submitted waits, and delays no other. `routers`: those that can be called.
   * @throws NodeUnreachable; Blocked when the sender can send nothing
   */
  async run(routers: readonly string[]): Promise<void> {
    const { clock, timing } = this.#ctx;
    if (clock() < this.#checkAt) return;
    const due = await this.#take();
    for (const permit of due) await this.#submit(routers, permit);
    if (due.length < AT_ONCE) this.#checkAt = later(this.#ctx, timing.queueIdleMs);
  }

  /** The permits that wait for this signing queue, and permits that a queue took and did not finish. */
  async #take(): Promise<PermitDoc[]> {
    const { records, chainId, clock } = this.#ctx;
    const now = clock();
    const due = await records.find('permits', {
      where: { chainId, state: { in: ['waiting', 'started', 'sent'] }, notBefore: { lte: now } },
      sort: [['notBefore', 1]],
      limit: AT_ONCE * this.#place.count,
    });
    return dueIn(this.#place, due, ({ wallet }) => wallet, now).slice(0, AT_ONCE);
  }

  async #submit(routers: readonly string[], permit: PermitDoc): Promise<void> {
    const { log, chainId, timing, routers: known } = this.#ctx;
    const router = known.of(permit);
    try {
      if (await this.#isOnItsWay(permit)) return;
      if (!routers.includes(router)) throw new RouterRefuses(`the router ${router} cannot be called`);
      const verdict = await judgePermit(this.#ctx, router, this.#signer.address, permit);
      await this.#follow(permit, verdict);
    } catch (error) {
      // One router of several says nothing about the permits and charges of the others.
      const isOfRouter = error instanceof RouterRefuses && known.all.length > 1;
      if (error instanceof NodeUnreachable || (error instanceof Blocked && !isOfRouter)) throw error;
      log.error(
        { chainId, permit: permit._id, error: messageOf(error) },
        'permit cannot be submitted; it is tried again after a pause',
      );
      await this.#change(permit, { notBefore: later(this.#ctx, timing.retryMaxMs) });
    }
  }

  async #follow(permit: PermitDoc, verdict: PermitVerdict): Promise<void> {
    switch (verdict.kind) {
      case 'send':
        return sendPermit(this.#ctx, this.#signer, permit, verdict.reading);
      case 'rest':
        return this.#change(permit, { block: verdict.block, notBefore: later(this.#ctx, this.#ctx.timing.postponeMs) });
      case 'ended':
        return this.#end(permit, verdict);
      default:
        return unknownCase(verdict, 'verdict');
    }
  }

  /** True if a signing queue took it and stored a transaction that can land: then the reconciler follows it. */
  async #isOnItsWay(permit: PermitDoc): Promise<boolean> {
    if (permit.transactionId === null) return false;
    const [stored] = await this.#ctx.records.get('transactions', [permit.transactionId]);
    if (stored === undefined || stored.state === 'expired') return false;
    await this.#change(permit, { state: 'sent', notBefore: later(this.#ctx, this.#ctx.timing.orphanMs) });
    return true;
  }

  async #end(permit: PermitDoc, ended: Pick<PermitDoc, 'state' | 'reason'>): Promise<void> {
    const { log, chainId, listener } = this.#ctx;
    const { state, reason } = ended;
    log.info({ chainId, permit: permit._id, state, reason }, 'permit ended; no transaction is sent for it');
    await this.#change(permit, { state, reason, purgeAt: purgeAtOf(this.#ctx) });
    if (state === 'taken') await listener.walletsChanged(chainId, [permit.wallet.toLowerCase()]);
  }

  async #change(permit: PermitDoc, set: Partial<PermitDoc>): Promise<void> {
    const { records, clock } = this.#ctx;
    await records.change('permits', permit._id, asSeen(permit), { set: { ...set, updatedAt: clock() } });
  }
}
