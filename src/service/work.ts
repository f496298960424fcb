import type { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import type { ChargingRoom } from '../billing/charging-room.ts';
import type { ExpiredReservations } from '../billing/offers/expired-reservations.ts';
import type { Engine } from '../engine/engine.ts';
import { SCAN_MAX } from '../engine/scanner.ts';
import { AT_ONCE, type Passage } from '../engine/waker.ts';
import type { JobWork } from '../jobs/clock.ts';
import { type ActorKind, EVERY_PARTITION } from '../store/documents.ts';
import type { OutboxCollection } from '../store/port.ts';

const ACTORS: readonly ActorKind[] = ['subscription', 'payment', 'delivery'];
const OUTBOXES: readonly OutboxCollection[] = [...ACTORS, 'offers', 'customers', 'wallets'];

export interface Workers extends Pick<JobWork, 'audit' | 'upcasts'> {
  readonly engine: Engine;
  readonly watcher: AllowanceWatcher;
  readonly reservations: ExpiredReservations;
  readonly room: ChargingRoom;
}

/** The work of the recurring jobs. Each drains its part until it finds nothing, or no room is left. */
export function jobWork({ engine, watcher, reservations, room, ...others }: Workers): JobWork {
  const passageOf = (kind: ActorKind): Passage => (kind === 'subscription' ? room.passage : AT_ONCE);
  return {
    wake: async (touch) => {
      const wake = (kind: ActorKind) => {
        const passage = passageOf(kind);
        return wakeAll(engine, kind, async (docs, wakeThem) => {
          await touch();
          return passage(docs, wakeThem);
        });
      };
      await Promise.all(ACTORS.map(wake));
    },
    relay: async (touch) => {
      await Promise.all(OUTBOXES.map((from) => drained(() => engine.relayLeftBehind(from, EVERY_PARTITION), touch)));
    },
    check: async (touch) => {
      await drained(() => watcher.checkChanges(), touch).finally(() => drained(() => watcher.checkDue(), touch));
    },
    reservations: async () => {
      await reservations.sweep();
    },
    ...others,
  };
}

/** The partitions in quarters. */
const QUARTERS = Array.from({ length: 4 }, (_, index) => EVERY_PARTITION.filter((each) => each % 4 === index));

/**
 * Wakes the due actors of a kind until none is left or the passage returns false. One scan finds the few of an ordinary tick. A crowd is
 * woken in quarters side by side: while one waits for the database, another works, and none finds another's actors.
 */
export async function wakeAll(engine: Pick<Engine, 'wakeDue'>, kind: ActorKind, passage: Passage): Promise<void> {
  let isCrowd = false;
  await engine.wakeDue(kind, EVERY_PARTITION, async (docs, wake) => {
    isCrowd = docs.length === SCAN_MAX;
    return !isCrowd && passage(docs, wake);
  });
  if (!isCrowd) return;
  const ends = await Promise.allSettled(QUARTERS.map((quarter) => engine.wakeDue(kind, quarter, passage)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

async function drained(pass: () => Promise<number>, touch: () => Promise<void>): Promise<void> {
  while ((await pass()) > 0) await touch();
}
