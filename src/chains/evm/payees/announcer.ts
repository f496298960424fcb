import { messageOf } from '../../../errors/message-of.ts';
import type { AnnouncementDoc } from '../../../store/collections.ts';
import { usableFrom } from '../../announcements.ts';
import { later } from '../../context.ts';
import { NodeUnreachable, resultOf } from '../../rpc.ts';
import { dueIn, type QueueNumber } from '../../sender/take.ts';
import type { EvmContext } from '../context.ts';
import { encodeAnnouncePayee, encodePayeeDelay, encodePayeeFrom, merchantSalt } from '../contracts/router.ts';
import { type CallReading, questionsOf, readingOf, sendCall } from '../sender/send-call.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';

/** The most announcements at once, so that charges behind them do not wait for long. */
const AT_ONCE = 8;

/** The router's answer: it has the payee, or the transaction that announces it. */
type Verdict =
  | { readonly kind: 'announced'; readonly from: Date }
  | { readonly kind: 'send'; readonly reading: CallReading };

/**
 * The payees that one sender's signing queue announces, before its charges and in the same order of nonces. The router takes an
 * announcement once, and says whether it has it. So nothing is noted about a transaction: the payee is asked for again.
 */
export class Announcer {
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
   * Announces waiting payees. One that cannot be announced waits, and delays nothing else. `routers`: those that can be called.
   * @throws NodeUnreachable
   */
  async run(routers: readonly string[]): Promise<void> {
    const { clock, timing } = this.#ctx;
    if (clock() < this.#checkAt) return;
    const due = await this.#due();
    for (const payee of due) await this.#announce(routers, payee);
    if (due.length < AT_ONCE) this.#checkAt = later(this.#ctx, timing.queueIdleMs);
  }

  async #due(): Promise<AnnouncementDoc[]> {
    const { records, chainId, clock } = this.#ctx;
    const now = clock();
    const due = await records.find('announcements', {
      where: { chainId, state: 'waiting', notBefore: { lte: now } },
      sort: [['notBefore', 1]],
      limit: AT_ONCE * this.#place.count,
    });
    return dueIn(this.#place, due, ({ payee }) => payee, now).slice(0, AT_ONCE);
  }

  async #announce(routers: readonly string[], announcement: AnnouncementDoc): Promise<void> {
    const { log, chainId, timing } = this.#ctx;
    const { router } = announcement;
    try {
      if (router === null || !routers.includes(router)) throw new Error(`the router ${router} cannot be called`);
      const verdict = await this.#judge(router, announcement);
      if (verdict.kind === 'announced') {
        log.info({ chainId, announcement: announcement._id, from: verdict.from }, 'a new payee is announced');
        await this.#change(announcement, { state: 'announced', from: verdict.from });
        return;
      }
      await sendCall(this.#ctx, this.#signer, verdict.reading, {
        take: () => this.#change(announcement, { notBefore: later(this.#ctx, timing.orphanMs) }),
      });
    } catch (error) {
      if (error instanceof NodeUnreachable) throw error;
      log.error(
        { chainId, announcement: announcement._id, error: messageOf(error) },
        'payee cannot be announced; it is tried again after a pause',
      );
      await this.#change(announcement, { notBefore: later(this.#ctx, timing.retryMaxMs) });
    }
  }

  async #judge(router: string, { merchantId, mode, payee }: AnnouncementDoc): Promise<Verdict> {
    const { link } = this.#ctx;
    const merchant = merchantSalt(merchantId, mode);
    const call = { sender: this.#signer.address, router, data: encodeAnnouncePayee(merchant, payee) };
    const read = (data: string) => ({ method: 'eth_call', params: [{ to: router, data }, 'latest'] });
    const [known, delay, ...answers] = await link.batch([
      read(encodePayeeFrom(merchant, payee)),
      read(encodePayeeDelay()),
      ...questionsOf(call),
    ]);
    const [from, delayS] = [quantity.parse(resultOf(known)), quantity.parse(resultOf(delay))];
    if (from !== 0n) {
      return { kind: 'announced', from: usableFrom(new Date(Number(from) * 1_000), Number(delayS) * 1_000) };
    }
    return { kind: 'send', reading: readingOf(call, link.sawBlock(resultOf(answers[0])), answers) };
  }

  /** False: another process has changed it. */
  async #change({ _id, state, notBefore }: AnnouncementDoc, set: Partial<AnnouncementDoc>): Promise<boolean> {
    const { records, clock } = this.#ctx;
    const change = { set: { ...set, updatedAt: clock() } };
    return (await records.change('announcements', _id, { state, notBefore }, change)) !== null;
  }
}
