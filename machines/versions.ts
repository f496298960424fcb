import type { AnyStateMachine } from 'xstate';
import type { z } from 'zod';
import { deliveryContext } from './delivery/context.ts';
import { type DeliveryEvent, deliveryEvent } from './delivery/events.ts';
import { deliveryMachine } from './delivery.ts';
import type { Json, JsonObject } from './json.ts';
import { paymentContext, paymentContextV1 } from './payment/context.ts';
import { type PaymentEvent, paymentEvent, paymentEventV1 } from './payment/events.ts';
import { paymentMachine, paymentMachineV1 } from './payment.ts';
import { subscriptionContext, subscriptionContextV1 } from './subscription/context.ts';
import { type SubscriptionEvent, subscriptionEvent, subscriptionEventV1 } from './subscription/events.ts';
import { subscriptionMachine, subscriptionMachineV1 } from './subscription.ts';

/** What can be said to each kind of actor. */
export interface Events {
  subscription: SubscriptionEvent;
  payment: PaymentEvent;
  delivery: DeliveryEvent;
}

/** An event before its actor's own time is added to it. */
export type Untimed<E> = E extends { now: string } ? Omit<E, 'now'> : never;

export type EventOf<K extends keyof Events> = Untimed<Events[K]>;

/** What is stored of a machine, all of it JSON: the state in which it stands, and what it remembers. */
export interface Snapshot {
  readonly value: Json;
  readonly context: JsonObject;
}

/**
 * One released version of one machine, with the shapes of what it is given. It is never changed after its release, for
 * documents and journals of it exist; only `event` and `input` of a version that is no longer the newest learn to take what
 * the present code sends, and to leave out of it what they do not know.
 */
export interface MachineVersion {
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly context: z.ZodType<JsonObject>;
  readonly event: z.ZodType<{ type: string; now: string }>;
  /** What the present code makes an actor with, as this version's first context; absent: it is that already. */
  readonly input?: z.ZodType<JsonObject>;
  /** A sound snapshot of the version before as one of this one. Pure. Absent in the oldest that is registered. */
  readonly upcast?: (before: Snapshot) => Snapshot;
}

export interface MachineFamily {
  /** The newest: what is written unless `WRITE_MACHINE_VERSION` says otherwise, and the shape that the domain reads. */
  readonly current: MachineVersion;
  /** Those before it of which documents may exist, the oldest first. */
  readonly older: readonly MachineVersion[];
  /** Whether every event is journaled; deliveries keep their attempts in the document instead. */
  readonly journaled: boolean;
}

/** Kind → machine: what an engine is given to work with. */
export type Machines = Readonly<Record<keyof Events, MachineFamily>>;

/**
 * A kind by its released versions, the oldest first. Throws where one does not follow the one before it, or says not how
 * a snapshot of that becomes one of its own.
 */
export function familyOf(versions: readonly [MachineVersion, ...MachineVersion[]], journaled: boolean): MachineFamily {
  for (const [index, { version, upcast }] of versions.entries()) {
    const expected = versions[0].version + index;
    if (version !== expected) throw new Error(`version ${version} is registered where ${expected} was expected`);
    if (index > 0 && !upcast) throw new Error(`version ${version} has no upcast from version ${version - 1}`);
  }
  const older = versions.slice(0, -1);
  return { current: versions.at(-1) ?? versions[0], older, journaled };
}

/**
 * The machines of this service. To release another version of one: leave what its machine, context and events do as it is,
 * beside them write the new ones with an `upcast`, of which the old may be made by what they do otherwise, register both here, and generate the fixtures of the new version
 * (`test/machines/versions/generate.ts`). What lists and indexes name keeps its name in every version: the outermost
 * states, `wakeAt`, `payerWallet`. Then upgrade in two steps: this code everywhere with `WRITE_MACHINE_VERSION` naming the
 * version before, and without it once no process of the older code is left. What rests is brought along within days
 * (`src/engine/upcast-sweep.ts`). A version can go when no document is of it and no journal needs it since its last upcast:
 * `npm run replay -- --all` of the code without it finds no difference.
 */
export const MACHINES: Machines = {
  subscription: familyOf(
    [
      { version: 1, machine: subscriptionMachineV1, context: subscriptionContextV1, event: subscriptionEventV1 },
      {
        version: 2,
        machine: subscriptionMachine,
        context: subscriptionContext,
        event: subscriptionEvent,
        upcast: (before) => before,
      },
    ],
    true,
  ),
  payment: familyOf(
    [
      { version: 1, machine: paymentMachineV1, context: paymentContextV1, event: paymentEventV1 },
      {
        version: 2,
        machine: paymentMachine,
        context: paymentContext,
        event: paymentEvent,
        upcast: (before) => before,
      },
    ],
    true,
  ),
  delivery: familyOf([{ version: 1, machine: deliveryMachine, context: deliveryContext, event: deliveryEvent }], false),
};
