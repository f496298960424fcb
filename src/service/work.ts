import type { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import type { ChargingRoom } from '../billing/due/charging-room.ts';
import type { ExpiredReservations } from '../billing/offers/expired-reservations.ts';
import type { Leases } from '../chains/leases.ts';
import type { Engine } from '../engine/engine.ts';
import { AT_ONCE, type Passage } from '../engine/waker.ts';
import type { JobWork } from '../jobs/clock.ts';
import { type ActorKind, EVERY_PARTITION } from '../store/documents.ts';
import type { OutboxCollection } from '../store/port.ts';
import { sharedWaking } from './shared-waking.ts';

const ACTORS: readonly ActorKind[] = ['subscription', 'payment', 'delivery'];
const OUTBOXES: readonly OutboxCollection[] = [...ACTORS, 'offers', 'customers', 'wallets'];

export interface Workers extends Pick<JobWork, 'audit' | 'upcasts'> {
  readonly engine: Engine;
  readonly leases: Leases;
  readonly watcher: AllowanceWatcher;
  readonly reservations: ExpiredReservations;
  readonly room: ChargingRoom;
}

/** The work of the recurring jobs. Each drains its part until it finds nothing, or no capacity is left. */
export function jobWork({ engine, leases, watcher, reservations, room, ...others }: Workers): JobWork {
  const passageOf = (kind: ActorKind): Passage => (kind === 'subscription' ? room.passage : AT_ONCE);
  const wakeAll = sharedWaking({ engine, leases });
  return {
    wake: async (touch) => {
      const wake = (kind: ActorKind) => {
        const passage = passageOf(kind);
        return wakeAll(kind, async (docs, wakeThem) => {
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

async function drained(pass: () => Promise<number>, touch: () => Promise<void>): Promise<void> {
  while ((await pass()) > 0) await touch();
}
