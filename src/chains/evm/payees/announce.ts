import type { AnnouncementDoc } from '../../../store/collections.ts';
import { usableFrom } from '../../announcements.ts';
import { later } from '../../context.ts';
import { resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { encodeAnnouncePayee, encodePayeeDelay, encodePayeeFrom, merchantSalt } from '../contracts/router.ts';
import type { CallKind } from '../sender/call-queue.ts';
import { type CallReading, questionsOf, readingOf, sendCall } from '../sender/send-call.ts';
import type { Signer } from '../signer.ts';
import { quantity } from '../wire.ts';

/** The router's answer: it has the payee, or the transaction that announces it. */
type Verdict =
  | { readonly kind: 'announced'; readonly from: Date }
  | { readonly kind: 'send'; readonly reading: CallReading };

/**
 * The payees that a sender announces. The router takes an announcement once, and says whether it has it. So nothing is
 * noted about a transaction: the payee is asked for again.
 */
export function announcePayees(ctx: EvmContext, signer: Signer): CallKind<'announcements'> {
  const { log, chainId, timing } = ctx;
  return {
    collection: 'announcements',
    states: ['waiting'],
    noun: 'announcement',
    failed: 'payee cannot be announced; it is tried again after a pause',
    nameOf: ({ payee }) => payee,
    asSeen: ({ state, notBefore }) => ({ state, notBefore }),
    call: async (announcement, routers, change) => {
      const { router } = announcement;
      if (router === null || !routers.includes(router)) throw new Error(`the router ${router} cannot be called`);
      const verdict = await judge(ctx, signer, router, announcement);
      if (verdict.kind === 'announced') {
        log.info({ chainId, announcement: announcement._id, from: verdict.from }, 'a new payee is announced');
        await change({ state: 'announced', from: verdict.from });
        return;
      }
      await sendCall(ctx, signer, verdict.reading, {
        take: () => change({ notBefore: later(ctx, timing.orphanMs) }),
      });
    },
  };
}

async function judge(
  { link }: EvmContext,
  { address }: Signer,
  router: string,
  { merchantId, mode, payee }: AnnouncementDoc,
): Promise<Verdict> {
  const merchant = merchantSalt(merchantId, mode);
  const call = { sender: address, router, data: encodeAnnouncePayee(merchant, payee) };
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
