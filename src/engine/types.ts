import type { Effect, EffectOf, EffectType } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { EventOf } from '../../machines/versions.ts';
import { errorOf } from '../errors/message-of.ts';
import type { ActorDoc, ActorKind, OutboxSource, StoredActor, Tenant } from '../store/documents.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { Sender } from './step.ts';
import type { UPCAST } from './upcast.ts';

/** The sender of an event, for the journal; staff also give a reason. */
export type SentBy = string | { readonly by: string; readonly reason: string };

/** One event for one actor. The engine adds the actor's own time. */
export interface Dispatch<K extends ActorKind = ActorKind> {
  readonly kind: K;
  readonly id: string;
  /** `snapshot.upcast` upcasts the document to the written version; the machine takes no event. */
  readonly event: EventOf<K> | { readonly type: typeof UPCAST };
  /** The sender, as the journal names it. */
  readonly by: SentBy;
  /** Set for messages between actors, so that a repeated or overtaken message changes nothing. */
  readonly sender?: Sender;
  /** The document as just read, to save a read. It never decides a refusal. */
  readonly seen?: StoredActor;
}

export type Dispatched =
  /** The event is stored. `changed` is false if the event was known or changes nothing: then nothing was written. */
  | {
      readonly kind: 'taken';
      readonly doc: StoredActor;
      readonly changed: boolean;
      readonly effects: readonly Effect[];
    }
  /** The machine does not take the event in the state of `doc`. */
  | { readonly kind: 'refused'; readonly doc: ActorDoc }
  | { readonly kind: 'quarantined'; readonly doc: ActorDoc }
  | { readonly kind: 'missing' };

export interface Create extends Tenant {
  readonly kind: ActorKind;
  readonly id: string;
  readonly attributes: JsonObject;
  /** The machine's input: its first context. */
  readonly context: JsonObject;
  readonly by: string;
  readonly sender?: Sender;
}

export type Created =
  | { readonly kind: 'created'; readonly doc: StoredActor }
  /** Another one has the id. */
  | { readonly kind: 'exists' };

/** One effect for its handler. `id` is the same at every repetition. */
export interface EffectItem<E extends Effect = Effect> {
  readonly id: string;
  readonly mark: Sender['mark'];
  /** Real time of the commit that decided the effect. */
  readonly at: Date;
  readonly sequence: number | null;
  readonly source: EffectSource;
  readonly effect: E;
}

export interface EffectSource extends Tenant {
  readonly collection: OutboxSource;
  readonly id: string;
  /** Until then no other process runs the effects of its outbox; null: another one may. */
  readonly relayAt: Date | null;
}

/**
 * The result of one effect. `held`: the effect waits for something outside; it runs again and does not count as failed.
 */
export type EffectEnd = 'done' | { readonly failed: Error } | { readonly held: string };

/**
 * `later`: the effect still runs, and the effects behind it in the outbox do not wait. It stays in the stored outbox
 * until it is done, which must be well before RELAY_GRACE_MS, when other processes would run it again.
 */
export type EffectResult = EffectEnd | { readonly later: Promise<EffectEnd> };

/** Runs effects of one type, each at least once. Returns one result per item, in the same order. */
export type EffectHandler<E extends Effect> = (items: readonly EffectItem<E>[]) => Promise<readonly EffectResult[]>;

export type EffectHandlers = { readonly [T in EffectType]: EffectHandler<EffectOf<T>> };

/** Has workers change actors, because this process may not. Answers as the engine does, after the effects have run. */
export interface RemoteEngine {
  dispatch(request: Dispatch): Promise<Dispatched>;
  create(requests: readonly Create[]): Promise<Created[]>;
}

/** Counts events of the engine. Calls are cheap and never throw. */
export interface Meters {
  /** Called once per stored event, in the process that stored it. `doc` is as stored. */
  taken(doc: ActorDoc, event: Dispatch['event']): void;
  /** Called when this process quarantines an actor. */
  quarantined(kind: ActorKind): void;
}

/** Why an effect is not done. */
export type Trouble = Exclude<EffectEnd, 'done'>;

/** The result of an effect that threw. If the database does not answer, the effect is held and has not failed. */
export function troubleOf(error: unknown): Trouble {
  return error instanceof StoreUnavailable ? { held: error.message } : { failed: errorOf(error) };
}
