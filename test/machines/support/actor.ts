import { isDeepStrictEqual } from 'node:util';
import type { DeliveryEvent } from '../../../machines/delivery/events.ts';
import { DELIVERY } from '../../../machines/delivery.ts';
import type { Effect } from '../../../machines/effects.ts';
import type { JsonObject } from '../../../machines/json.ts';
import { LETTER, type LetterEvent } from '../../../machines/letter.ts';
import { type Events, MACHINES, type MachineVersion, type Untimed } from '../../../machines/versions.ts';
import { canonicalState } from '../../../src/engine/canonical.ts';
import { initialState, type Sender, type StoredState, step } from '../../../src/engine/step.ts';
import { inWords, stateNameOf } from './describe.ts';

/** An event before its time is added and its form is checked. */
type Reported = { readonly type: string; readonly [field: string]: unknown };

/** The events of every machine. */
export interface EventsOf extends Events {
  readonly delivery: DeliveryEvent;
  readonly letter: LetterEvent;
}
export type EventOf<K extends keyof EventsOf> = Untimed<EventsOf[K]>;

const { subscription, payment } = MACHINES;
const VERSIONS: Readonly<Record<keyof EventsOf, MachineVersion>> = {
  subscription: subscription.current,
  payment: payment.current,
  delivery: DELIVERY,
  letter: LETTER,
};

/** One machine with its state and a clock that a test sets: an actor without an engine. */
export class TestActor<K extends keyof EventsOf> {
  readonly #kind: K;
  now: string;
  state: StoredState;
  /** All its effects, in order. */
  readonly asked: Effect[] = [];

  constructor(kind: K, input: JsonObject, now: string) {
    this.#kind = kind;
    this.now = now;
    this.state = initialState(VERSIONS[kind], input);
  }

  /** The result of a trial, after which everything is as before. */
  trying<T>(attempt: () => T): T {
    const { now, state } = this;
    const asked = this.asked.length;
    try {
      return attempt();
    } finally {
      this.now = now;
      this.state = state;
      this.asked.splice(asked);
    }
  }

  /** Its first event, as the engine sends it. */
  create(sender: Sender | null = null): readonly string[] {
    return this.#take({ type: 'actor.created', input: this.state.context }, sender);
  }

  /** Returns the effects. Throws if the event is refused. */
  send(event: EventOf<K>, sender: Sender | null = null): readonly string[] {
    return this.#take(event, sender);
  }

  refuses(event: EventOf<K>): boolean {
    return this.#step(event, null).taken === false;
  }

  /** True if the event is accepted, or already known, and changes nothing. */
  isUnmovedBy(event: EventOf<K>, sender: Sender | null = null): boolean {
    const stepped = this.#step(event, sender);
    if (stepped.taken === 'before') return true;
    if (!stepped.taken) return false;
    return stepped.effects.length === 0 && canonicalState(stepped.state) === canonicalState(this.state);
  }

  /** The result of the event here: `state: effects`, or null if it is refused. Changes nothing. */
  outcomeOf(event: EventOf<K>): string | null {
    const stepped = this.#step(event, null);
    if (stepped.taken !== true) return null;
    return [stateNameOf(stepped.state.value), stepped.effects.map(inWords).join(', ')].filter(Boolean).join(': ');
  }

  /** Moves the clock; by default to the time of its next wake. */
  at(moment: string | null): this {
    if (moment === null) throw new Error(`${this.stateName} waits for no moment`);
    this.now = moment;
    return this;
  }

  get stateName(): string {
    return stateNameOf(this.state.value);
  }

  #take(event: Reported, sender: Sender | null = null): readonly string[] {
    const stepped = this.#step(event, sender);
    if (stepped.taken === 'before') return [];
    if (!stepped.taken) throw new Error(`${this.stateName} refuses ${event.type} at ${this.now}`);
    this.state = stepped.state;
    this.asked.push(...stepped.effects);
    return stepped.effects.map(inWords);
  }

  #step(event: Reported, sender: Sender | null) {
    const version = VERSIONS[this.#kind];
    const timed = version.event.parse({ ...event, now: this.now });
    const checked = step(version, this.state, timed, sender);
    if (isDeepStrictEqual(step(version, this.state, timed, sender, false), checked)) return checked;
    throw new Error(`a check changes the result of ${event.type}`);
  }
}
