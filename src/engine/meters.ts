import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { Dispatch } from './types.ts';

/** Counts events of the engine. Calls are cheap and never throw. */
export interface Meters {
  /** Called once per stored event, in the process that stored it. `doc` is as stored. */
  taken(doc: ActorDoc, event: Dispatch['event']): void;
  /** Called when this process quarantines an actor. */
  quarantined(kind: ActorKind): void;
}
