import type { AnyStateMachine } from 'xstate';
import type { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import type { Parser } from './parse-once.ts';
import { paymentContextParser } from './payment/context.ts';
import { type PaymentEvent, paymentEvent } from './payment/events.ts';
import { paymentMachine } from './payment.ts';
import { subscriptionContextParser } from './subscription/context.ts';
import { type SubscriptionEvent, subscriptionEvent } from './subscription/events.ts';
import { subscriptionMachine } from './subscription.ts';

/** The events of each kind of actor. */
export interface Events {
  subscription: SubscriptionEvent;
  payment: PaymentEvent;
}

/** An event before the actor's own time is added. */
export type Untimed<E> = E extends { now: string } ? Omit<E, 'now'> : never;

export type EventOf<K extends keyof Events> = Untimed<Events[K]>;

/** The stored part of a machine, all JSON: its state and its context. */
export interface Snapshot {
  readonly value: Json;
  readonly context: JsonObject;
}

/**
 * One released version of one machine, with its schemas. It never changes after its release, because documents and
 * journals depend on it. Only `event` and `input` of an older version may change: they learn to accept the present
 * code's values and to drop the fields that the version does not know.
 */
export interface MachineVersion {
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly context: Parser<JsonObject>;
  readonly event: z.ZodType<{ type: string; now: string }>;
  /** Converts the present code's input to this version's first context; absent: no conversion is needed. */
  readonly input?: z.ZodType<JsonObject>;
  /** Converts a valid snapshot of the version before to this one. Pure. Absent in the oldest registered version. */
  readonly upcast?: (before: Snapshot) => Snapshot;
}

export interface MachineFamily {
  /** The newest version: written unless `WRITE_MACHINE_VERSION` says otherwise, and the shape that the domain reads. */
  readonly current: MachineVersion;
  /** Older versions that documents may still have, oldest first. */
  readonly older: readonly MachineVersion[];
}

/** Kind → machine, as an engine receives them. */
export type Machines = Readonly<Record<keyof Events, MachineFamily>>;

/**
 * A kind with its released versions, oldest first. Throws an Error if the numbers are not consecutive or a version has
 * no upcast from the one before.
 */
export function familyOf(versions: readonly [MachineVersion, ...MachineVersion[]]): MachineFamily {
  for (const [index, { version, upcast }] of versions.entries()) {
    const expected = versions[0].version + index;
    if (version !== expected) throw new Error(`version ${version} is registered where ${expected} was expected`);
    if (index > 0 && !upcast) throw new Error(`version ${version} has no upcast from version ${version - 1}`);
  }
  const older = versions.slice(0, -1);
  return { current: versions.at(-1) ?? versions[0], older };
}

/**
 * The machines of this service. To release a new version, leave the machine, context and events of the old one
 * unchanged. Write the new ones beside them, with an `upcast`; the old machine may be expressed as differences from the
 * new one. Register both here, and generate the fixtures of the new version (`test/machines/versions/generate.ts`).
 * Names that lists and indexes use never change: the outermost states, `wakeAt`, `payerWallet`.
 *
 * Upgrade in two steps: first this code everywhere with `WRITE_MACHINE_VERSION` naming the version before; then without
 * that variable, once no process of the older code is left. Dormant documents are upcast within days
 * (`src/engine/upcast.ts`). A version can be removed when no document has it and no journal needs it after its
 * last upcast: `npm run ops -- replay --all` of the code without it finds no difference.
 */
export const MACHINES: Machines = {
  subscription: familyOf([
    { version: 1, machine: subscriptionMachine, context: subscriptionContextParser, event: subscriptionEvent },
  ]),
  payment: familyOf([{ version: 1, machine: paymentMachine, context: paymentContextParser, event: paymentEvent }]),
};
