import type { Effect, EffectOf, EffectType } from '../../machines/effects.ts';
import type { JsonObject } from '../../machines/json.ts';
import type { EventOf } from '../../machines/versions.ts';
import type { ActorDoc, ActorKind, Mode } from '../store/documents.ts';
import type { OutboxCollection } from '../store/port.ts';
import type { Sender } from './step.ts';
import type { UPCAST } from './upcast.ts';

/** Who or what sends an event, as the journal keeps it; of staff with the reason that they gave. */
export type SentBy = string | { readonly by: string; readonly reason: string };

/** One event for one actor. The actor's own time is added when it is taken. */
export interface Dispatch<K extends ActorKind = ActorKind> {
  readonly kind: K;
  readonly id: string;
  /** `snapshot.upcast`: nothing is said to the machine; the document is brought to the version that is written. */
  readonly event: EventOf<K> | { readonly type: typeof UPCAST };
  /** Who or what sends it; stands in the journal. */
  readonly by: SentBy;
  /** Set for messages between actors: makes a repeated or overtaken one harmless. */
  readonly sender?: Sender;
  /** The document as just read, to save a read; a refusal is never decided from it. */
  readonly seen?: ActorDoc;
  /**
   * Whoever dispatches has carried out all that the outbox of `seen` held, or knows who has: the write that takes the event
   * takes it out, where nobody has been faster. Without `seen` it means nothing.
   */
  readonly clearsOutbox?: true;
}

export type Dispatched =
  /** It is stored. `changed` is false where the event was known already or changes nothing: then nothing was written. */
  | { readonly kind: 'taken'; readonly doc: ActorDoc; readonly changed: boolean; readonly effects: readonly Effect[] }
  /** The machine does not take it in the state of `doc`. */
  | { readonly kind: 'refused'; readonly doc: ActorDoc }
  | { readonly kind: 'quarantined'; readonly doc: ActorDoc }
  | { readonly kind: 'missing' };

export interface Create {
  readonly kind: ActorKind;
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly attributes: JsonObject;
  /** The machine's input: its first context. */
  readonly context: JsonObject;
  readonly by: string;
  readonly sender?: Sender;
}

export type Created =
  | { readonly kind: 'created'; readonly doc: ActorDoc }
  /** A unique index has it already: `_id`, or the name of another. */
  | { readonly kind: 'exists'; readonly index: string };

/** One effect on its way to its handler. `id` is the same at every repetition. */
export interface EffectItem<E extends Effect = Effect> {
  readonly id: string;
  readonly mark: Sender['mark'];
  /** Real time of the commit that decided it. */
  readonly at: Date;
  readonly sequence: number | null;
  readonly source: EffectSource;
  readonly effect: E;
}

export interface EffectSource {
  readonly collection: OutboxCollection;
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
}

/**
 * What became of one item. `handed`: done, by handing it to somebody whose next event for this actor will clear its outbox
 * (`Dispatch.clearsOutbox`); it is taken out by itself only where that takes long. `held`: it waits for something outside, so
 * it is tried again and not counted as a failure.
 */
export type EffectEnd = 'done' | 'handed' | { readonly failed: Error } | { readonly held: string };

/**
 * `later`: it is under way, and holds nothing up meanwhile: what comes behind it in its document's outbox goes on. It stays in
 * the stored outbox until it is done, which must be well within the grace after which others would take it up.
 */
export type EffectResult = EffectEnd | { readonly later: Promise<EffectEnd> };

/** Carries out effects of one type, each at least once; one result per item, in their order. */
export type EffectHandler<E extends Effect> = (items: readonly EffectItem<E>[]) => Promise<readonly EffectResult[]>;

/** The one exhaustive table: type of effect → handler. */
export type EffectHandlers = { readonly [T in EffectType]: EffectHandler<EffectOf<T>> };
