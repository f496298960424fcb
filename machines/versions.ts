import type { AnyStateMachine } from 'xstate';
import type { z } from 'zod';
import { deliveryContext } from './delivery/context.ts';
import { type DeliveryEvent, deliveryEvent } from './delivery/events.ts';
import { deliveryMachine } from './delivery.ts';
import type { JsonObject } from './json.ts';
import { paymentContext } from './payment/context.ts';
import { type PaymentEvent, paymentEvent } from './payment/events.ts';
import { paymentMachine } from './payment.ts';
import { subscriptionContext } from './subscription/context.ts';
import { type SubscriptionEvent, subscriptionEvent } from './subscription/events.ts';
import { subscriptionMachine } from './subscription.ts';

/** What can be said to each kind of actor. */
export interface Events {
  subscription: SubscriptionEvent;
  payment: PaymentEvent;
  delivery: DeliveryEvent;
}

/** An event before its actor's own time is added to it. */
export type Untimed<E> = E extends { now: string } ? Omit<E, 'now'> : never;

export type EventOf<K extends keyof Events> = Untimed<Events[K]>;

/** One released version of one machine, with the shapes of its snapshot's context and of its events. */
export interface MachineVersion {
  readonly version: number;
  readonly machine: AnyStateMachine;
  readonly context: z.ZodType<JsonObject>;
  readonly event: z.ZodType<{ type: string; now: string }>;
}

export interface MachineFamily {
  /** The version that is written. */
  readonly current: MachineVersion;
  /** Whether every event is journaled; deliveries keep their attempts in the document instead. */
  readonly journaled: boolean;
}

/** Kind → machine: what an engine is given to work with. */
export type Machines = Readonly<Record<keyof Events, MachineFamily>>;

/** The machines of this service. */
export const MACHINES: Machines = {
  subscription: {
    current: { version: 1, machine: subscriptionMachine, context: subscriptionContext, event: subscriptionEvent },
    journaled: true,
  },
  payment: {
    current: { version: 1, machine: paymentMachine, context: paymentContext, event: paymentEvent },
    journaled: true,
  },
  delivery: {
    current: { version: 1, machine: deliveryMachine, context: deliveryContext, event: deliveryEvent },
    journaled: false,
  },
};
