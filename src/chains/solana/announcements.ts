import { SystemProgram } from '@solana/web3.js';
import { messageOf } from '../../errors/message-of.ts';
import type { AnnouncementDoc } from '../../store/collections.ts';
import { type Announced, announcementId, expectedFrom } from '../announcements.ts';
import { later } from '../context.ts';
import { announces } from './charged.ts';
import type { SolanaContext } from './context.ts';
import { readFences, readTransactions, type Shown } from './fence.ts';
import { legacyMessage, memoInstruction } from './instructions.ts';
import type { SolanaSigner } from './keys.ts';
import { payeeMemo } from './memo.ts';
import { publicKeyOf } from './public-keys.ts';
import { sendCall } from './sender/broadcast.ts';
import { referenceKey, signMessage } from './transaction.ts';
import { latestBlockhashSchema } from './wire.ts';

const AT_ONCE = 100;

type Reading = Pick<SolanaContext, 'delegates'> & { readonly link: Pick<SolanaContext['link'], 'upToDate'> };

interface AnnouncementOnChain {
  /** When charges under mandates begin to pay the recipient. */
  readonly from: Date;
  readonly transaction: string;
}

/**
 * The announcement of each recipient, by its id. The first transaction in which the merchant's delegate announces the
 * recipient decides, and no document (docs/rules.md, "Wallets"). One that the chain does not show is missing.
 * @throws an Error when a node did not answer
 */
export async function readAnnouncements(
  ctx: Reading,
  payees: readonly Announced[],
): Promise<ReadonlyMap<string, AnnouncementOnChain>> {
  const references = payees.map((announced) => payeeReference(ctx, announced));
  const fences = await readFences(ctx.link, references);
  const found = new Map<string, AnnouncementOnChain>();
  for (const [index, announced] of payees.entries()) {
    const first = await firstAnnouncement(ctx, announced, fences[index]?.landed ?? []);
    if (first === null) continue;
    const from = expectedFrom(announced.mode, timeOf(first));
    found.set(announcementId(announced), { from, transaction: first.signature });
  }
  return found;
}

async function firstAnnouncement(
  { link, delegates }: Reading,
  { merchantId, mode, payee }: Announced,
  landed: Parameters<typeof readTransactions>[1],
): Promise<Shown | null> {
  const delegate = delegates.of({ merchantId, mode }, true).address;
  for await (const shown of readTransactions(link, landed)) {
    if (announces(shown.transaction, delegate, payee)) return shown;
  }
  return null;
}

function timeOf({ signature, transaction: { blockTime } }: Shown): Date {
  if (typeof blockTime !== 'number') throw new Error(`no node shows the time of transaction ${signature}`);
  return new Date(blockTime * 1_000);
}

function payeeReference({ delegates }: Pick<SolanaContext, 'delegates'>, announced: Announced): string {
  return delegates.reference(`payee:${announcementId(announced)}`);
}

/** Announces waiting payees; the delay begins with the block. What the chain does not show is sent again. */
export async function announcePayees(ctx: SolanaContext, feePayer: SolanaSigner): Promise<void> {
  try {
    await announceDue(ctx, feePayer);
    ctx.troubles.set(TROUBLE, null);
  } catch (error) {
    // Charges do not wait for it.
    const sentence = `new payees cannot be announced: ${messageOf(error)}`;
    if (ctx.troubles.set(TROUBLE, sentence)) ctx.log.error({ chainId: ctx.chainId }, sentence);
  }
}

const TROUBLE = 'payees';

async function announceDue(ctx: SolanaContext, feePayer: SolanaSigner): Promise<void> {
  const { records, chainId, clock, log, timing } = ctx;
  const due = await records.find('announcements', {
    where: { chainId, state: 'waiting', notBefore: { lte: clock() } },
    sort: [['notBefore', 1]],
    limit: AT_ONCE,
  });
  if (due.length === 0) return;
  const known = await readAnnouncements(ctx, due);
  for (const announcement of due) {
    const { _id, mode, notBefore } = announcement;
    const onChain = known.get(_id);
    // One node can show an old block time, so the delay also counts from now.
    const from = Math.max(onChain?.from.getTime() ?? 0, expectedFrom(mode, clock()).getTime());
    const shown = onChain && { ...onChain, from: new Date(from) };
    const set: Partial<AnnouncementDoc> =
      shown === undefined ? { notBefore: later(ctx, timing.postponeMs) } : { state: 'announced', ...shown };
    const where = { state: 'waiting', notBefore };
    const isOurs = await records.change('announcements', _id, where, { set: { ...set, updatedAt: clock() } });
    if (shown !== undefined) log.info({ chainId, announcement: _id, ...shown }, 'a new payee is announced');
    else if (isOurs !== null) await sendAnnouncement(ctx, feePayer, announcement);
  }
}

async function sendAnnouncement(ctx: SolanaContext, feePayer: SolanaSigner, announced: Announced): Promise<void> {
  const delegate = ctx.delegates.of(announced, true);
  const latest = await ctx.link.call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  const payer = publicKeyOf(feePayer.address);
  // It moves nothing, and names the reference.
  const mention = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 0 });
  mention.keys.push(referenceKey(payeeReference(ctx, announced)));
  const memo = memoInstruction(payeeMemo(announced.payee), delegate.address);
  const { blockhash } = latestBlockhashSchema.parse(latest).value;
  const message = legacyMessage(feePayer.address, blockhash, [memo, mention]);
  const { raw } = await signMessage(message, [feePayer, delegate]);
  await ctx.link.broadcast([sendCall(raw)]);
}
