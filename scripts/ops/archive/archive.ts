import type { Machines } from '../../../machines/versions.ts';
import { setArchivedBefore } from '../../../src/billing/events/archived.ts';
import { lastUsage } from '../../../src/billing/subscriptions/readiness.ts';
import { removeRows, restoreRows, rowsToArchive } from '../../../src/engine/archive.ts';
import { actorKind } from '../../../src/engine/journal.ts';
import { ReplayError } from '../../../src/engine/replay.ts';
import type { EventDoc } from '../../../src/store/collections.ts';
import { pagesOf } from '../../../src/store/pages.ts';
import type { Store } from '../../../src/store/port.ts';
import { ScriptError } from '../../lib/script.ts';
import type { Disk } from './disk.ts';
import { type Line, type Manifest, type Part, readManifest, readPart, writeManifest, writePart } from './parts.ts';

interface ArchiveDeps {
  readonly store: Pick<Store, 'actors' | 'records'>;
  readonly machines: Machines;
  readonly disk: Disk;
}

export interface ArchiveReport {
  /** Rows of the log and of usage, and events with their deliveries. */
  rows: number;
  events: number;
  /** Actors whose journal does not lead to their state, so that nothing of them was archived. */
  readonly unsound: string[];
}

/** Rows of usage in a read, and lines in a part at most. */
const PAGE = 250;
const PART_LINES = 1_000;

/**
 * Moves rows of the log that were committed before this moment, and events that were made before it and whose
 * deliveries have ended, into a folder. Nothing leaves the database before its file is durable and was read back. A
 * call that was interrupted is completed by the next one.
 * @param id names the archive, if the folder has none
 */
export async function archive(deps: ArchiveDeps, id: string, before: Date): Promise<ArchiveReport> {
  const { store, disk } = deps;
  const began = (await readManifest(disk)) ?? { id, before: before.toISOString(), parts: [] };
  if (began.before !== before.toISOString())
    throw new ScriptError(`The folder has an archive with another date, ${began.before}; name another folder`);
  await writeManifest(disk, began);
  const report: ArchiveReport = { rows: 0, events: 0, unsound: [] };
  const work = new Work(deps, began, report);
  await work.complete();
  // First, because keys of usage count again once their rows have left.
  await setArchivedBefore(store.records, began.id, before);
  for await (const line of archivable(deps, before, report)) await work.take(line);
  await work.flush();
  for await (const event of endedEvents(store, before)) await work.take({ event });
  await work.flush();
  return report;
}

/** The lines of the next part, and the parts that are stored. */
class Work {
  readonly #deps: ArchiveDeps;
  readonly #report: ArchiveReport;
  #manifest: Manifest;
  #lines: Line[] = [];

  constructor(deps: ArchiveDeps, manifest: Manifest, report: ArchiveReport) {
    this.#deps = deps;
    this.#manifest = manifest;
    this.#report = report;
  }

  /** Removes what an interrupted call has stored and may not have removed. */
  async complete(): Promise<void> {
    for (const part of this.#manifest.parts) {
      if (part.state === 'written') await this.#remove(part, await readPart(this.#deps.disk, part));
    }
  }

  async take(line: Line): Promise<void> {
    this.#lines.push(line);
    if (this.#lines.length >= PART_LINES) await this.flush();
  }

  async flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0) return;
    const file = `part-${String(this.#manifest.parts.length + 1).padStart(6, '0')}.jsonl.gz`;
    const part = await writePart(this.#deps.disk, file, lines);
    await this.#write([...this.#manifest.parts, part]);
    await this.#remove(part, lines);
  }

  async #remove(part: Part, lines: readonly Line[]): Promise<void> {
    const { store } = this.#deps;
    for (const line of lines) {
      if ('rows' in line && (await removeRows(store, line.rows))) this.#report.rows += line.rows.rows.length;
    }
    this.#report.rows += await store.records.remove(
      'usage',
      idsOf(lines.flatMap((line) => ('usage' in line ? [line.usage] : []))),
    );
    const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
    this.#report.events += await removeEvents(store, events);
    await this.#write(
      this.#manifest.parts.map((each) => (each.file === part.file ? { ...each, state: 'removed' } : each)),
    );
  }

  async #write(parts: Manifest['parts']): Promise<void> {
    this.#manifest = { ...this.#manifest, parts };
    await writeManifest(this.#deps.disk, this.#manifest);
  }
}

async function* archivable(
  { store, machines }: ArchiveDeps,
  before: Date,
  report: ArchiveReport,
): AsyncGenerator<Line> {
  for (const kind of actorKind.options) {
    const pages = pagesOf((query) => store.actors.findFields(kind, query, ['createdAt']), {
      createdAt: { lt: before },
    });
    for await (const found of pages) {
      for (const doc of await store.actors.load(kind, idsOf(found))) {
        const rows = await rowsToArchive(store, machines, doc, before).catch((error: unknown) => {
          if (!(error instanceof ReplayError)) throw error;
          report.unsound.push(error.message);
          return null;
        });
        if (rows !== null) yield { rows };
        if (kind === 'subscription') yield* oldUsage(store, doc._id, before);
      }
    }
  }
}

/** Rows of usage that were stored before this moment. The newest row has the total, so it stays. */
async function* oldUsage(
  { records }: ArchiveDeps['store'],
  subscriptionId: string,
  before: Date,
): AsyncGenerator<Line> {
  const newest = (await lastUsage({ records }, subscriptionId))?.sequence ?? 0;
  for (let after = 0; ; ) {
    const where = { subscriptionId, sequence: { gt: after, lt: newest }, createdAt: { lt: before } };
    const found = await records.find('usage', { where, sort: [['sequence', 1]], limit: PAGE });
    for (const usage of found) yield { usage };
    if (found.length < PAGE) return;
    after = found.at(-1)?.sequence ?? newest;
  }
}

async function* endedEvents({ records }: ArchiveDeps['store'], before: Date): AsyncGenerator<EventDoc> {
  const where = { createdAt: { lt: before }, wakeAt: null, quarantine: null };
  for await (const page of pagesOf((query) => records.find('events', query), where)) yield* page;
}

/** Removes the events that are as they are in the file: somebody may have asked for another delivery meanwhile. */
async function removeEvents({ records }: ArchiveDeps['store'], events: readonly EventDoc[]): Promise<number> {
  const revs = new Map(events.map(({ _id, rev }) => [_id, rev]));
  const stored = await records.get('events', [...revs.keys()]);
  const same = stored.filter(({ _id, rev }) => revs.get(_id) === rev);
  return records.remove('events', idsOf(same));
}

function idsOf(docs: readonly { readonly _id: string }[]): string[] {
  return docs.map(({ _id }) => _id);
}

/** Stores everything in the folder again. Any call may be repeated. Throws a ScriptError for a damaged file. */
export async function restoreArchive({ store, disk }: Pick<ArchiveDeps, 'store' | 'disk'>): Promise<ArchiveReport> {
  const manifest = await readManifest(disk);
  if (manifest === null) throw new ScriptError('The folder has no archive: there is no manifest.json');
  const report: ArchiveReport = { rows: 0, events: 0, unsound: [] };
  // Read whole before anything is stored.
  for (const part of manifest.parts) await readPart(disk, part);
  // An actor that was archived again after a restore has newer rows in a later part.
  for (const part of manifest.parts.toReversed()) {
    const lines = await readPart(disk, part);
    for (const line of lines) {
      if (!('rows' in line)) continue;
      if (await restoreRows(store, line.rows)) report.rows += line.rows.rows.length;
      else report.unsound.push(`${line.rows.actorId}: restore the newer archive of its rows first`);
    }
    const usage = lines.flatMap((line) => ('usage' in line ? [line.usage] : []));
    const events = lines.flatMap((line) => ('event' in line ? [line.event] : []));
    await store.records.insert('usage', usage);
    await store.records.insert('events', events);
    report.rows += usage.length;
    report.events += events.length;
  }
  if (report.unsound.length === 0) await setArchivedBefore(store.records, manifest.id, null);
  return report;
}
