import type { AllowanceLooker } from '../billing/allowances/looker.ts';
import type { StaleUnits } from '../billing/stale-units.ts';
import type { Engine } from '../engine/engine.ts';
import type { JobWork } from '../jobs/clock.ts';
import { type ActorKind, EVERY_PARTITION } from '../store/documents.ts';
import type { OutboxCollection } from '../store/port.ts';

const ACTORS: readonly ActorKind[] = ['subscription', 'payment', 'delivery'];
const OUTBOXES: readonly OutboxCollection[] = [...ACTORS, 'offers', 'customers', 'wallets'];

/** What the recurring jobs do: each drains what it is for, until it finds nothing. */
export function jobWork(
  engine: Engine,
  looker: AllowanceLooker,
  units: StaleUnits,
  others: Pick<JobWork, 'audit' | 'upcasts'>,
): JobWork {
  return {
    wake: async (partitions, touch) => {
      await Promise.all(ACTORS.map((kind) => engine.wakeDue(kind, partitions, touch)));
    },
    relay: async (touch) => {
      await Promise.all(OUTBOXES.map((from) => drained(() => engine.relayLeftBehind(from, EVERY_PARTITION), touch)));
    },
    look: (touch) => drained(() => looker.lookDue(), touch),
    units: async () => {
      await units.sweep();
    },
    ...others,
  };
}

async function drained(pass: () => Promise<number>, touch: () => Promise<void>): Promise<void> {
  while ((await pass()) > 0) await touch();
}
