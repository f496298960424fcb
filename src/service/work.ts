import type { AllowanceWatcher } from '../billing/allowances/allowance-watcher.ts';
import type { ExpiredReservations } from '../billing/offers/expired-reservations.ts';
import type { Engine } from '../engine/engine.ts';
import type { JobWork } from '../jobs/clock.ts';
import type { ActorKind, OutboxSource } from '../store/documents.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

const ACTORS: readonly ActorKind[] = ['subscription', 'payment'];
export const OUTBOXES: readonly OutboxSource[] = [...ACTORS, 'offers', 'customers', 'wallets'];

export interface Workers extends Pick<JobWork, 'audit' | 'upcasts' | 'moments' | 'heads' | 'letters'> {
  readonly engine: Pick<Engine, 'dispatchDue' | 'dispatchShare' | 'relayLeftBehind'>;
  readonly webhooks: Pick<Webhooks, 'dispatchDue' | 'dispatchShare'>;
  readonly watcher: Pick<AllowanceWatcher, 'checkChanges' | 'checkDue' | 'checkShare'>;
  readonly reservations: ExpiredReservations;
  /** Checks the redemptions of coupons that nobody has confirmed. */
  readonly redemptions: () => Promise<void>;
}

/** The work of the recurring jobs. Each goes on until it finds nothing more. */
export function jobWork({ engine, webhooks, watcher, reservations, redemptions, ...others }: Workers): JobWork {
  return {
    dispatchDue: async (touch) => {
      await Promise.all([...ACTORS.map((kind) => engine.dispatchDue(kind, touch)), webhooks.dispatchDue(touch)]);
    },
    share: async (called) => {
      const kinds = ACTORS.filter((kind) => called.has(kind));
      const deliveries = called.has('delivery') ? webhooks.dispatchShare() : undefined;
      const checks = watcher.checkShare(called);
      await Promise.all([...kinds.map((kind) => engine.dispatchShare(kind)), deliveries, checks]);
    },
    relay: async (touch) => {
      await Promise.all(OUTBOXES.map((from) => drained(() => engine.relayLeftBehind(from), touch)));
    },
    check: async (touch) => {
      await watcher.checkChanges(touch).finally(() => watcher.checkDue(touch));
    },
    reservations: async () => {
      await reservations.sweep();
      await redemptions();
    },
    ...others,
  };
}

async function drained(pass: () => Promise<number>, touch: () => Promise<void>): Promise<void> {
  while ((await pass()) > 0) await touch();
}
