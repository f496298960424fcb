import { LETTER, type LetterEvent, letterContext, letterStatus } from '../../machines/letter.ts';
import type { Untimed } from '../../machines/versions.ts';
import { writeSummaries } from '../billing/letters/weekly-summaries.ts';
import { step } from '../engine/step.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import type { LetterDoc } from '../store/collections.ts';
import type { RecordStore } from '../store/port.ts';
import { storing } from '../webhooks/attempt.ts';
import { type MailDeps, mailOf } from './mail.ts';
import type { Mailer } from './smtp.ts';

type LetterMessage = Untimed<LetterEvent>;

/** Counts what happens to letters. Calls are cheap and never throw. */
export interface LetterMeters {
  letter(doc: LetterDoc): void;
}

export interface LettersDeps extends MailDeps {
  readonly log: Log;
  readonly meters: LetterMeters;
  readonly mailer: Mailer;
  /** Aborted when the process is about to stop: no other letter begins. */
  readonly stopping: AbortSignal;
}

/** The letters of one search, and how many of them are sent at a time. */
const FOUND_MAX = 100;
const AT_ONCE = 5;

/**
 * Writes due weekly summaries, and sends due letters until none is left. Any number of processes may do this at once:
 * each attempt belongs to the one that stored that it is `sending`.
 */
export async function sendDueLetters(deps: LettersDeps): Promise<void> {
  await writeSummaries(deps).catch((error: unknown) =>
    deps.log.warn({ err: error }, 'weekly summaries were not written; the next run tries again'),
  );
  while (!deps.stopping.aborted) {
    const where = { wakeAt: { lte: deps.clock() } };
    const due = await deps.store.records.find('letters', { where, sort: [['wakeAt', 1]], limit: FOUND_MAX });
    if (due.length === 0) return;
    const queue = due.values();
    const sendSome = async (): Promise<void> => {
      for (const letter of queue) if (!deps.stopping.aborted) await sendOne(deps, letter);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  }
}

/** Makes one more attempt of a letter that has failed or was stopped. False: it is on its way, or was sent. */
export async function resendLetter(deps: TakeDeps, id: string): Promise<boolean> {
  const [letter] = await deps.store.records.get('letters', [id]);
  return letter !== undefined && (await take(deps, letter, { type: 'resend.requested' })) !== null;
}

async function sendOne(deps: LettersDeps, found: LetterDoc): Promise<void> {
  const sending = await take(deps, found, { type: 'letter.due' });
  if (sending?.status !== 'sending') return;
  const ended = await attemptOf(deps, sending).catch((error: unknown) => {
    deps.log.warn({ letter: found._id, err: error }, 'a letter failed here; it is sent again when its lease expires');
    return null;
  });
  if (ended !== null) await storing(deps, found._id, () => take(deps, sending, ended));
}

type TakeDeps = Pick<LettersDeps, 'clock' | 'log'> & {
  readonly store: { readonly records: Pick<RecordStore, 'get' | 'change'> };
  readonly meters?: LetterMeters;
};

/** The document after the message, as stored; null: the machine refuses it, or another process was first. */
async function take(deps: TakeDeps, doc: LetterDoc, message: LetterMessage): Promise<LetterDoc | null> {
  const { store, log, clock, meters } = deps;
  const updatedAt = clock();
  const change = (set: Partial<LetterDoc>) =>
    store.records.change('letters', doc._id, { rev: doc.rev }, { set: { ...set, rev: doc.rev + 1, updatedAt } });
  let next: Partial<LetterDoc> | null;
  try {
    next = decided(doc, message, updatedAt.toISOString());
  } catch (error) {
    log.error({ letter: doc._id, reason: messageOf(error) }, 'a letter is not sound, and is not sent');
    next = { wakeAt: null };
  }
  const stored = next && (await change(next));
  if (stored !== null) meters?.letter(stored);
  return stored;
}

/** null: the machine refuses it. Pure. Throws if the letter is not sound. */
function decided(doc: LetterDoc, message: LetterMessage, now: string): Partial<LetterDoc> | null {
  const { status: value, attempt, attempts, stop } = doc;
  const context = { wakeAt: doc.wakeAt?.toISOString() ?? null, attempt, attempts: [...attempts], stop };
  const stepped = step(LETTER, { value, context }, { ...message, now }, null, false);
  if (stepped.taken !== true) return null;
  const { wakeAt, ...next } = letterContext.parse(stepped.state.context);
  const status = letterStatus.parse(stepped.state.value);
  return { ...next, status, wakeAt: wakeAt === null ? null : new Date(wakeAt) };
}

async function attemptOf(deps: LettersDeps, letter: LetterDoc): Promise<LetterMessage> {
  const { clock, mailer, log } = deps;
  const mail = await mailOf(deps, letter);
  if ('stop' in mail) return { type: 'letter.stopped', attempt: letter.attempt, stop: mail.stop };
  const startedAt = clock().toISOString();
  const began = performance.now();
  const { outcome, ...answer } = await mailer.send(mail);
  const durationMs = Math.round(performance.now() - began);
  if (outcome === 'refused') await mail.refused(answer.body ?? answer.error ?? '');
  if (outcome !== 'sent') log.warn({ letter: letter._id, outcome, ...answer }, 'a letter was not sent');
  return { type: 'attempt.ended', outcome, record: { attempt: letter.attempt, startedAt, durationMs, ...answer } };
}
