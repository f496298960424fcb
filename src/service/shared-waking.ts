import { type Leases, storeLeases } from '../chains/leases.ts';
import type { Engine } from '../engine/engine.ts';
import { SCAN_MAX } from '../engine/scanner.ts';
import type { Passage } from '../engine/waker.ts';
import { type ActorKind, EVERY_PARTITION } from '../store/documents.ts';
import type { RecordStore } from '../store/port.ts';

/** A part is left to others if its worker finishes no batch for this long. */
const CROWD_LEASE_MS = 15_000;

/** Leases on the parts of large batches. `holder`: the name of this process, different from all others. */
export function crowdLeases(records: RecordStore, holder: string, clock: () => Date): Leases {
  return storeLeases({ records, holder, leaseMs: CROWD_LEASE_MS, clock });
}

/** The parts of a large batch: groups of partitions. A worker wakes some of them at a time, so that others find free ones. */
const PARTS = Array.from({ length: 16 }, (_, part) => EVERY_PARTITION.filter((each) => each % 16 === part));
const PARTS_AT_ONCE = 4;

type Part = readonly [number, readonly number[]];

export interface SharedWakingDeps {
  readonly engine: Pick<Engine, 'wakeDue'>;
  readonly leases: Leases;
}

type WakeAll = (kind: ActorKind, passage: Passage) => Promise<void>;

/**
 * Wakes the due actors of a kind until none is left or nothing more is admitted. One scan finds the few of an ordinary tick. A large batch is
 * woken in parts, some side by side: while one waits for the database, another works. Each part has a lease, so workers that wake one large batch
 * share it. A part that fails holds up no other one. Does nothing for a kind that this process is waking already.
 */
export function sharedWaking({ engine, leases }: SharedWakingDeps): WakeAll {
  const wakeFew = async (kind: ActorKind, passage: Passage): Promise<'done' | 'crowd'> => {
    let found: 'done' | 'crowd' = 'done';
    await engine.wakeDue(kind, EVERY_PARTITION, async (docs, wake) => {
      if (docs.length === SCAN_MAX) found = 'crowd';
      return found === 'done' && passage(docs, wake);
    });
    return found;
  };
  const wakePart = async (kind: ActorKind, [part, partitions]: Part, passage: Passage): Promise<void> => {
    const lease = `crowd:${kind}:${part}`;
    const whileHeld: Passage = async (docs, wake) => (await leases.take(lease)) && passage(docs, wake);
    if (!(await leases.take(lease))) return;
    await engine.wakeDue(kind, partitions, whileHeld).finally(() => leases.release(lease));
  };
  const wakeCrowd = async (kind: ActorKind, passage: Passage): Promise<void> => {
    const left = PARTS.entries();
    const failures: unknown[] = [];
    const wakeSome = async (): Promise<void> => {
      let isOpen = true;
      const whileOpen: Passage = async (docs, wake) => {
        isOpen = await passage(docs, wake);
        return isOpen;
      };
      for (const part of left) {
        await wakePart(kind, part, whileOpen).catch((error: unknown) => failures.push(error));
        if (!isOpen) return;
      }
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, wakeSome));
    if (failures.length > 0) throw failures[0];
  };
  const waking = new Set<ActorKind>();
  return async (kind, passage) => {
    if (waking.has(kind)) return;
    waking.add(kind);
    try {
      if ((await wakeFew(kind, passage)) === 'crowd') await wakeCrowd(kind, passage);
    } finally {
      waking.delete(kind);
    }
  };
}
