import type { AnnouncementDoc } from '../../../store/collections.ts';
import { usableFrom } from '../../announcements.ts';
import { later } from '../../context.ts';
import { resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import {
  decodeAnnouncementOf,
  encodeAnnouncementOf,
  encodeAnnouncePayee,
  encodePayeeDelay,
  merchantSalt,
} from '../contracts/router.ts';
import { type CallKind, type CallReading, questionsOf, readingOf, sendCall } from '../sender/send.ts';
import type { Signer } from '../signer.ts';
import { hexBytes, quantity } from '../wire.ts';

/** The router's answer: it has the payee, or the transaction that announces it. */
type Verdict =
  | { readonly kind: 'announced'; readonly from: Date; readonly until: Date | null }
  | { readonly kind: 'send'; readonly reading: CallReading };

/** The greatest date: no clock reaches it. */
const NEVER = new Date(8_640_000_000_000_000);

/** The router is asked for an unused announcement again this long before it lapses, and then more often. */
const BEFORE_LAPSE_MS = 86_400_000;
const AGAIN_MS = 3_600_000;

/**
 * The payees that a sender announces. The router takes an announcement once, and says whether it has it. So nothing is
 * noted about a transaction: the payee is asked for again. An announcement that lapses unused is made anew.
 */
export function announcePayees(ctx: EvmContext, signer: Signer): CallKind<'announcements'> {
  const { log, chainId, timing } = ctx;
  return {
    collection: 'announcements',
    states: ['waiting', 'announced'],
    noun: 'announcement',
    failed: 'payee cannot be announced; it is tried again after a pause',
    nameOf: ({ payee }) => payee,
    asSeen: ({ state, notBefore }) => ({ state, notBefore }),
    call: async (announcement, routers, change) => {
      const { router } = announcement;
      if (router === null || !routers.includes(router)) throw new Error(`the router ${router} cannot be called`);
      const verdict = await judge(ctx, signer, router, announcement);
      if (verdict.kind === 'announced') {
        const { from, until } = verdict;
        if (announcement.state === 'waiting')
          log.info({ chainId, announcement: announcement._id, from }, 'a new payee is announced');
        await change({ state: 'announced', from, until, notBefore: askAgainAt(ctx, until) });
        return;
      }
      await sendCall(ctx, signer, verdict.reading, {
        take: () => change({ state: 'waiting', notBefore: later(ctx, timing.orphanMs) }),
      });
    },
  };
}

function askAgainAt(ctx: EvmContext, until: Date | null): Date {
  if (until === null) return NEVER;
  const first = new Date(until.getTime() - BEFORE_LAPSE_MS);
  return first > ctx.clock() ? first : later(ctx, AGAIN_MS);
}

async function judge(
  { link, clock }: EvmContext,
  { address }: Signer,
  router: string,
  { merchantId, mode, payee }: AnnouncementDoc,
): Promise<Verdict> {
  const merchant = merchantSalt(merchantId, mode);
  const call = { sender: address, router, data: encodeAnnouncePayee(merchant, payee) };
  const read = (data: string) => ({ method: 'eth_call', params: [{ to: router, data }, 'latest'] });
  const [known, delay, ...answers] = await link.batch([
    read(encodeAnnouncementOf(merchant, payee)),
    read(encodePayeeDelay()),
    ...questionsOf(call),
  ]);
  const block = link.sawBlock(resultOf(answers[1]));
  const found = decodeAnnouncementOf(hexBytes.parse(resultOf(known)));
  if (found !== null) {
    const delayMs = Number(quantity.parse(resultOf(delay))) * 1_000;
    // By the chain's own clock, which may differ from this one.
    const leftMs = found.until === null ? null : (found.until - block.timestamp) * 1_000;
    const until = leftMs === null ? null : new Date(clock().getTime() + leftMs);
    return { kind: 'announced', from: usableFrom(new Date(found.from * 1_000), delayMs), until };
  }
  return { kind: 'send', reading: readingOf(link, call, answers) };
}
