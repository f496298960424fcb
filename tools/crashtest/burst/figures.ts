import { journalOf } from '../../../src/engine/journal.ts';
import { cyclePaymentId } from '../../../src/model/payment.ts';
import type { JournalRow } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import type { ServiceProcess } from '../../../stage/processes.ts';

/** Percentiles of durations, milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The work of one process in a burst. */
export interface Share {
  readonly pid: number;
  /** The number of subscriptions that it woke. */
  readonly woken: number;
  /** The number of transactions that it signed and sent. */
  readonly sent: number;
}

export interface BurstFigures {
  readonly subscriptions: number;
  /** From the first due moment to the last. */
  readonly dueWithinMs: number;
  /** From each due moment to the start of its attempt, and to the settlement of its payment. */
  readonly opened: Spread;
  readonly settled: Spread;
  /** Settled charges per second between the first due moment and the last settlement. */
  readonly chargesPerSecond: number;
  /** Settlements in each second after the first due moment; they show whether the drain is steady. */
  readonly eachSecond: readonly number[];
  readonly shares: readonly Share[];
}

/** Ids in one query. */
const AT_ONCE = 250;

/** Reads the times from the journals. The clocks of the processes are this machine's. */
export async function figuresOf(
  store: Store,
  due: ReadonlyMap<string, Date>,
  cycle: number,
  shares: readonly Share[],
): Promise<BurstFigures> {
  const rows = await journalsOf(
    store,
    [...due.keys()].map((id) => cyclePaymentId(id, cycle)),
  );
  const lags = { opened: [] as number[], settled: [] as number[] };
  const ends: number[] = [];
  for (const [id, at] of due) {
    const own = rows.get(cyclePaymentId(id, cycle)) ?? [];
    const momentOf = (type: string) => Date.parse(own.find(({ event }) => event.type === type)?.event.now ?? '');
    lags.opened.push(momentOf('actor.created') - at.getTime());
    lags.settled.push(momentOf('charge.final') - at.getTime());
    ends.push(momentOf('charge.final'));
  }
  const times = [...due.values()].map((at) => at.getTime());
  const first = Math.min(...times);
  return {
    subscriptions: due.size,
    dueWithinMs: Math.max(...times) - first,
    opened: spreadOf(lags.opened),
    settled: spreadOf(lags.settled),
    chargesPerSecond: (due.size / (Math.max(...ends) - first)) * 1_000,
    eachSecond: countedBySecond(ends, first),
    shares,
  };
}

async function journalsOf(store: Store, ids: readonly string[]): Promise<Map<string, JournalRow[]>> {
  const rows = new Map<string, JournalRow[]>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    for (const doc of await store.actors.load('payment', ids.slice(at, at + AT_ONCE))) {
      rows.set(doc._id, await journalOf(store, doc));
    }
  }
  return rows;
}

function countedBySecond(moments: readonly number[], first: number): number[] {
  const seconds = moments.map((at) => Math.max(0, Math.floor((at - first) / 1_000)));
  return Array.from({ length: Math.max(...seconds) + 1 }, (_, second) => seconds.filter((at) => at === second).length);
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** The work of each process in its log after `marks`, the earlier lengths of the logs. */
export function sharesOf(services: readonly ServiceProcess[], marks: readonly number[]): Share[] {
  return services.map((service, index) => {
    const lines = service
      .log()
      .slice(marks[index] ?? 0)
      .split('\n');
    return {
      pid: service.pid,
      woken: lines.filter((line) => line.includes('"event":"cycle.due"')).length,
      sent: lines.filter((line) => line.includes('"msg":"transaction broadcast"')).length,
    };
  });
}
