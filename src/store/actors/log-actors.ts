import {
  type ActorDoc,
  type ActorKind,
  EVERY_PARTITION,
  type LogRow,
  type OutboxDoc,
  type OutboxEntry,
  type StoredActor,
  type TimerDoc,
} from '../documents.ts';
import { StoreUnavailable } from '../errors.ts';
import { checkBatch, checkCount, checkDocument, checkValue } from '../guard.ts';
import { comparer } from '../match.ts';
import type {
  ActorQueries,
  ActorStore,
  BetweenWrites,
  Commit,
  CommitBatch,
  CommitVerdict,
  DueQuery,
  LedgerRecords,
  Query,
  Tally,
  TallyQuery,
  Where,
} from '../port.ts';
import { typed } from '../typed.ts';
import { applied, BEHIND_MAX, checkListed, HEADS, headOf, needsHead, rowId, rowOf } from './heads.ts';
import { excludesOpen, findOpen, isOpenPayment, openPaymentOf, pageOf } from './open-payments.ts';
import { isLeftOver, timerId, timerOf, UNDER_WAY_MS } from './timers.ts';

/** Where the store reports what jobs have to repair. */
export interface Warnings {
  warn(fields: object, message: string): void;
}

/** A commit that takes longer stores its outbox and timers again, because jobs may have removed them, milliseconds. */
const SUSPENDED_MS = 60_000;

/** Other processes leave the effects of a commit to its own process for at least twice as long, milliseconds. */
const LATE_MS = 1_000;

/** How long a payment may be open without a head, in milliseconds, and how many get theirs in one pass. */
const OPEN_MS = 600_000;
const PASS_MAX = 200;

/** The most actors in a log line. */
const NAMED_MAX = 10;

/** A count of payments without a head ends here. */
const COUNTED_MAX = 1_000_000;

/** Earlier than the first wake that can be stored. */
const EVER = new Date(0);

const LONGEST_DUE = comparer([['wakeAt', 1]]);

/**
 * Actors as rows of a log. The insert of a row is the commit. Heads, timers and the outbox follow from the rows: an
 * outbox and a timer are stored before the rows that need them, and count only with them; a head may be behind, and a
 * read applies the rows that it lacks.
 */
export class LogActors implements ActorStore, ActorQueries {
  readonly #records: LedgerRecords;
  readonly #log: Warnings;
  readonly #now: () => Date;

  /** `now` must also advance while the machine is suspended. */
  constructor(records: LedgerRecords, log: Warnings, now = () => new Date()) {
    this.#records = records;
    this.#log = log;
    this.#now = now;
  }

  async load(kind: ActorKind, ids: readonly string[]): Promise<StoredActor[]> {
    if (ids.length === 0) return [];
    const wanted = [...new Set(ids)];
    const heads = await this.#records.get(HEADS[kind], wanted);
    const known = new Map(heads.map((head) => [head._id, head]));
    const sources = wanted.map((id) => ({ id, head: known.get(id) ?? null }));
    const [docs, ofHeads] = await Promise.all([this.#current(kind, sources), this.#outboxes(heads)]);
    const ofRows = await this.#outboxes(docs.filter(({ _id, outboxId }) => known.get(_id)?.outboxId !== outboxId));
    const outboxes = new Map([...ofHeads, ...ofRows]);
    return docs.map((doc) => stored(doc, known.get(doc._id)?.rev ?? 0, outboxes.get(doc.outboxId ?? '')));
  }

  async commit(kind: ActorKind, batch: CommitBatch, between?: BetweenWrites): Promise<CommitVerdict[]> {
    const { op, commits } = batch;
    if (commits.length === 0) return [];
    checkBatch(batch, kind);
    const rows = commits.map((commit) => rowOf(commit, op));
    for (const row of rows) checkDocument(row, `${kind} ${row._id}`);
    const outboxes = [...effectsOf(kind, batch), ...headsOf(kind, batch)];
    const timers = newTimersOf(batch);
    const since = this.#now().getTime();
    await Promise.all([this.#records.insert('outbox', outboxes), this.#records.insert('timers', timers)]);
    await between?.('commit.row.before');
    if (this.#now().getTime() - since > UNDER_WAY_MS / 2)
      throw new StoreUnavailable('a commit was suspended; it is given up, because its effects may be removed already');
    const verdicts = await this.#insert(rows);
    await between?.('commit.row.after');
    if (this.#now().getTime() - since > SUSPENDED_MS) {
      await Promise.all([this.#restore(outboxes), this.#records.insert('timers', timers)]);
    }
    await this.#follow(kind, batch, verdicts);
    if (this.#now().getTime() - since > LATE_MS) await this.#forgetEnded(commits);
    return verdicts;
  }

  /**
   * Reads on while timers that wake nobody fill its answer. It removes them, except those of commits that may be under
   * way.
   */
  async due({ kind, partitions, versions, now, limit }: DueQuery): Promise<StoredActor[]> {
    checkCount(limit, `due ${kind}.limit`);
    checkValue(now, `due ${kind}.now`);
    if (limit === 0 || partitions.length === 0) return [];
    const ofVersion = versions === undefined ? {} : { version: { in: versions } };
    const where = { kind, partition: { in: partitions }, at: { lte: now }, ...ofVersion };
    for (let most = limit; ; ) {
      const timers = await this.#records.find('timers', { where, sort: [['at', 1]], limit: most });
      const docs = await this.load(
        kind,
        timers.map(({ actorId }) => actorId),
      );
      const removed = await this.#tidy(timers, docs, now);
      const due = docs.filter(({ wakeAt, quarantine }) => wakeAt !== null && wakeAt <= now && quarantine === null);
      if (timers.length < most || due.length >= limit) {
        return due.sort(LONGEST_DUE).slice(0, limit);
      }
      most = Math.max(limit, most - removed + limit - due.length);
    }
  }

  async earliestWake(kind: ActorKind): Promise<Date | null> {
    const where = { kind, partition: { in: EVERY_PARTITION }, at: { gt: EVER } };
    // A timer may be of a commit that was not made, or is under way.
    for (let limit = 1; ; limit *= 10) {
      const timers = await this.#records.find('timers', { where, sort: [['at', 1]], limit });
      const docs = await this.load(
        kind,
        timers.map(({ actorId }) => actorId),
      );
      const wakes = new Set(docs.filter(({ quarantine }) => quarantine === null).map(timerId));
      const first = timers.find(({ _id }) => wakes.has(_id));
      if (first !== undefined || timers.length < limit) return first?.at ?? null;
    }
  }

  async writeHeads(kind: ActorKind, docs: readonly StoredActor[]): Promise<void> {
    const open = docs.filter((doc) => doc.headRev === 0 && isOpenPayment(doc));
    const others = docs.filter((doc) => !open.includes(doc));
    const behind = others.filter(({ headRev, rev }) => headRev < rev);
    await this.#records.insert('openPayments', open.map(openPaymentOf));
    await this.#records.putNewer(HEADS[kind], behind.map(headOf));
    if (kind === 'payment') await this.#forget(others);
  }

  async endOpenPayments(now: Date): Promise<void> {
    const createdAt = { lt: new Date(now.getTime() - OPEN_MS) };
    const query = { where: { createdAt }, sort: [['createdAt', 1]], limit: PASS_MAX } as const;
    const ids = (await this.#records.findFields('openPayments', query, [])).map(({ _id }) => _id);
    const docs = await this.load('payment', ids);
    await this.#records.putNewer(HEADS.payment, docs.map(headOf));
    await this.#records.remove('openPayments', ids);
  }

  /** Reads payments without a head first: one that gets its head in between is found twice, and never missed. */
  async find(kind: ActorKind, query: Query): Promise<ActorDoc[]> {
    checkListed(kind, query);
    const open = kind === 'payment' ? await this.#findOpen(query) : [];
    const { start = 0, limit } = query;
    const heads = await this.#records.find(
      HEADS[kind],
      open.length === 0 ? query : { ...query, start: 0, limit: start + limit },
    );
    const docs = await this.#current(
      kind,
      heads.map((head) => ({ id: head._id, head })),
    );
    return open.length === 0 ? docs : pageOf([...docs, ...open], query);
  }

  async findFields<F extends keyof ActorDoc>(
    kind: ActorKind,
    query: Query,
    fields: readonly F[],
  ): Promise<Pick<ActorDoc, '_id' | F>[]> {
    checkListed(kind, query);
    if (fields.length === 0 && kind !== 'payment') return this.#records.findFields(HEADS[kind], query, fields);
    const wanted = new Set<PropertyKey>(['_id', ...fields]);
    const found = await this.find(kind, query);
    return found.map((doc) => typed(Object.fromEntries(Object.entries(doc).filter(([field]) => wanted.has(field)))));
  }

  async count(kind: ActorKind, where: Where, atMost?: number): Promise<number> {
    checkListed(kind, { where });
    const counted = await this.#records.count(HEADS[kind], where, atMost);
    const left = (atMost ?? COUNTED_MAX) - counted;
    if (kind !== 'payment' || left <= 0) return counted;
    const open = await this.#findOpen({ where, limit: left });
    return Math.min(counted + open.length, atMost ?? Number.POSITIVE_INFINITY);
  }

  async tally(kind: ActorKind, query: TallyQuery): Promise<Tally[]> {
    checkListed(kind, query);
    if (kind === 'payment' && !excludesOpen(query.where))
      throw new TypeError(
        'a tally of payments needs a condition that excludes pending and pulled ones: they may have no head',
      );
    return this.#records.tally(HEADS[kind], query);
  }

  #findOpen(query: Query): Promise<ActorDoc[]> {
    const current = (ids: readonly string[]) =>
      this.#current(
        'payment',
        ids.map((id) => ({ id, head: null })),
      );
    return findOpen(this.#records, query, current);
  }

  async #outboxes(docs: readonly ActorDoc[]): Promise<ReadonlyMap<string, OutboxDoc>> {
    const ids = new Set(docs.flatMap(({ outboxId }) => outboxId ?? []));
    const found = await this.#records.get('outbox', [...ids]);
    return new Map(found.map((outbox) => [outbox._id, outbox]));
  }

  /**
   * The actors that exist, in the order of the sources, with the rows that their heads lack. Reads on for those that
   * are further ahead.
   */
  async #current(kind: ActorKind, sources: readonly Source[]): Promise<ActorDoc[]> {
    const next = sources.flatMap(({ id, head }) =>
      Array.from({ length: BEHIND_MAX }, (_, ahead) => rowId(id, (head?.rev ?? 0) + ahead + 1)),
    );
    const rows = new Map((await this.#records.get('log', next)).map((row) => [row._id, row]));
    const docs = new Map<string, ActorDoc>();
    const ahead: Source[] = [];
    for (const { id, head } of sources) {
      const doc = appliedAll(kind, id, head, rows);
      if (doc === null) continue;
      docs.set(id, doc);
      if (doc.rev >= (head?.rev ?? 0) + BEHIND_MAX) ahead.push({ id, head: doc });
    }
    const later = ahead.length === 0 ? [] : await this.#current(kind, ahead);
    for (const doc of later) docs.set(doc._id, doc);
    return [...docs.values()];
  }

  /** A stored row with the same operation is that of an earlier try, whose answer was lost. */
  async #insert(rows: readonly LogRow[]): Promise<CommitVerdict[]> {
    const verdicts = await this.#records.insert('log', rows);
    const there = rows.filter((_, index) => verdicts[index]?.inserted === false).map(({ _id }) => _id);
    const ops = new Map((await this.#records.get('log', there)).map(({ _id, op }) => [_id, op]));
    return rows.map(({ _id, op }, index) => (verdicts[index]?.inserted || ops.get(_id) === op ? 'applied' : 'lost'));
  }

  /** Jobs may have removed the outboxes, or some of their entries. */
  async #restore(outboxes: readonly OutboxDoc[]): Promise<void> {
    const verdicts = await this.#records.insert('outbox', outboxes);
    const reduced = outboxes.filter((_, index) => verdicts[index]?.inserted === false);
    await this.#records.changeMany(
      'outbox',
      reduced.map(({ _id: id, entries }) => ({ id, where: {}, change: { set: { entries } } })),
    );
  }

  /**
   * The writes that follow from the rows. A loser's timers stay until they pass: the winner may have asked for the same
   * wake. If the writes fail, nothing is lost: the jobs find the timer or the outbox that is left over.
   */
  async #follow(kind: ActorKind, batch: CommitBatch, verdicts: readonly CommitVerdict[]): Promise<void> {
    const won = batch.commits.filter((_, index) => verdicts[index] === 'applied');
    try {
      await Promise.all([this.#writeHeads(kind, won), this.#records.remove('timers', won.flatMap(supersededTimerOf))]);
      const isOver = won.every(({ effects }) => effects.length === 0);
      const over = [...headsOf(kind, batch), ...(isOver ? effectsOf(kind, batch) : [])];
      await this.#records.remove(
        'outbox',
        over.map(({ _id }) => _id),
      );
    } catch (error) {
      const actors = won.slice(0, NAMED_MAX).map(({ after }) => after._id);
      this.#log.warn({ actors, err: error }, 'heads or timers were not written after their commits; jobs repair them');
    }
  }

  async #writeHeads(kind: ActorKind, won: readonly Commit[]): Promise<void> {
    const born = won.filter(({ before, after }) => before === null && !needsHead(before, after));
    const writing = won.filter(({ before, after }) => needsHead(before, after));
    const [first, later] = [writing.filter(isFirstHead), writing.filter((commit) => !isFirstHead(commit))];
    const [verdicts] = await Promise.all([
      this.#records.insert(
        HEADS[kind],
        first.map(({ after }) => headOf(after)),
      ),
      this.#records.putNewer(
        HEADS[kind],
        later.map(({ after }) => headOf(after)),
      ),
      this.#records.insert(
        'openPayments',
        born.map(({ after }) => openPaymentOf(after)),
      ),
    ]);
    const there = first.filter((_, index) => verdicts[index]?.inserted === false);
    await this.#records.putNewer(
      HEADS[kind],
      there.map(({ after }) => headOf(after)),
    );
    await this.#forget(first.flatMap(({ before }) => (before?.kind === 'payment' ? [before] : [])));
  }

  /** Another process may have ended new payments, and removed nothing, before this one stored that they are open. */
  async #forgetEnded(commits: readonly Commit[]): Promise<void> {
    const open = commits.flatMap(({ before, after }) => (before === null && isOpenPayment(after) ? [after._id] : []));
    await this.#forget(await this.#records.get(HEADS.payment, open));
  }

  /** Lists find these payments by their heads. */
  async #forget(payments: readonly Pick<ActorDoc, '_id'>[]): Promise<void> {
    const ids = payments.map(({ _id }) => _id);
    if (ids.length > 0) await this.#records.remove('openPayments', ids);
  }

  /** Removes timers that wake nobody, and stores those that their actors need instead. The number of removed ones. */
  async #tidy(timers: readonly TimerDoc[], docs: readonly StoredActor[], now: Date): Promise<number> {
    const known = new Map(docs.map((doc) => [doc._id, doc]));
    const over = timers.filter((timer) => isLeftOver(timer, known.get(timer.actorId), now));
    if (over.length === 0) return 0;
    const needed = over.flatMap(({ actorId }) => {
      const doc = known.get(actorId);
      return doc === undefined || doc.quarantine !== null ? [] : (timerOf(doc, now) ?? []);
    });
    const distinct = new Map(needed.map((timer) => [timer._id, timer]));
    await this.#records.insert('timers', [...distinct.values()]);
    await this.#records.remove(
      'timers',
      over.map(({ _id }) => _id),
    );
    return over.length;
  }
}

/** True if the head that follows from the commit is the actor's first. */
function isFirstHead({ before }: Commit): boolean {
  return before === null || before.headRev === 0;
}

/** An actor to bring up to date. `head` null: none is stored. */
interface Source {
  readonly id: string;
  readonly head: ActorDoc | null;
}

function appliedAll(
  kind: ActorKind,
  id: string,
  head: ActorDoc | null,
  rows: ReadonlyMap<string, LogRow>,
): ActorDoc | null {
  let doc = head;
  for (;;) {
    const row = rows.get(rowId(id, (doc?.rev ?? 0) + 1));
    if (row?.kind !== kind) return doc;
    doc = applied(doc, row);
  }
}

function stored(doc: ActorDoc, headRev: number, outbox: OutboxDoc | undefined): StoredActor {
  return { ...doc, headRev, ...pendingOf(doc._id, outbox) };
}

/** The effects of a document in its outbox, and how often the first has failed. */
export function pendingOf(documentId: string, outbox: OutboxDoc | undefined): Pick<StoredActor, 'outbox' | 'failures'> {
  const own = outbox?.entries.find((entry) => entry.documentId === documentId);
  return { outbox: own?.effects ?? [], failures: outbox?.failures[documentId] ?? 0 };
}

/** The outbox of the effects of these commits; none: they have none. */
export function effectsOf(
  source: ActorKind,
  { op: _id, at: createdAt, relayAt: at, commits }: CommitBatch,
): OutboxDoc[] {
  const acting = commits.filter(({ effects }) => effects.length > 0);
  if (acting.length === 0) return [];
  const failed = acting.flatMap(({ before, after }) =>
    before?.failures ? [[after._id, before.failures] as const] : [],
  );
  const [entries, failures] = [acting.map(entryOf), Object.fromEntries(failed)];
  const oldestAt = oldestOf(entries, createdAt);
  return [{ _id, source, version: versionOf(commits), entries, failures, oldestAt, createdAt, at }];
}

/** Real time of the commit that decided the oldest of these effects. */
export function oldestOf(entries: readonly OutboxEntry[], createdAt: Date): Date {
  const moments = entries.flatMap(({ effects }) => effects.map(({ at }) => at.getTime()));
  return new Date(Math.min(createdAt.getTime(), ...moments));
}

/**
 * An outbox without effects: it names the actors that lists find by a document which is written after these commits;
 * none: no such document is.
 */
function headsOf(source: ActorKind, { op, at: createdAt, relayAt: at, commits }: CommitBatch): OutboxDoc[] {
  const oldestAt = createdAt;
  const writing = commits.filter(({ before, after }) => before === null || needsHead(before, after));
  const entries = writing.map((commit) => ({ ...entryOf(commit), effects: [] }));
  return entries.length === 0
    ? []
    : [{ _id: `${op}:heads`, source, version: versionOf(commits), entries, failures: {}, oldestAt, createdAt, at }];
}

function versionOf(commits: readonly Commit[]): number {
  return Math.max(...commits.map(({ after }) => after.machineVersion));
}

function entryOf({ after: { _id: documentId, merchantId, mode, rev }, effects }: Commit): OutboxEntry {
  return { documentId, merchantId, mode, rev, effects };
}

/** The timers that these commits make necessary. */
function newTimersOf({ at, commits }: CommitBatch): TimerDoc[] {
  return commits.flatMap(({ before, after }) => {
    const timer = timerOf(after, at);
    return timer === null || timer._id === (before && timerId(before)) ? [] : [timer];
  });
}

/** The id of the timer that a commit makes unnecessary. */
function supersededTimerOf({ before, after }: Commit): string[] {
  const id = before && timerId(before);
  return id === null || id === timerId(after) ? [] : [id];
}
