import type { ActorDoc, ActorKind } from '../store/documents.ts';
import type { Dispatch } from './types.ts';

/** What is counted where it happens. Calls are cheap, never throw, and know nothing of who counts. */
export interface Meters {
  /** An event has been taken: once for each, in the process that has stored it. `doc` is as it is stored since. */
  taken(doc: ActorDoc, event: Dispatch['event']): void;
  /** An actor has been quarantined by this process. */
  quarantined(kind: ActorKind): void;
}
