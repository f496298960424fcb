import type { ActorKind, Quarantine } from '../store/documents.ts';
import { newId } from '../store/ids.ts';
import type { Store } from '../store/port.ts';
import { withQuarantine } from './advance.ts';
import type { SentBy } from './types.ts';

export interface QuarantineChange {
  readonly kind: ActorKind;
  readonly id: string;
  /** null ends it: the actor's wake and its effects come next. */
  readonly quarantine: Quarantine | null;
  readonly by: SentBy;
}

interface Deps {
  readonly store: Store;
  readonly clock: () => Date;
}

/**
 * Sets or ends the quarantine of an actor, as a commit of its own: a writer that read the actor before loses. One
 * that is set stays as it is. False: no such actor.
 */
export async function setQuarantine({ store, clock }: Deps, change: QuarantineChange): Promise<boolean> {
  const { kind, id, quarantine, by } = change;
  for (;;) {
    const [before] = await store.actors.load(kind, [id]);
    if (before === undefined) return false;
    if ((before.quarantine === null) === (quarantine === null)) return true;
    const now = clock();
    const { doc, logged: events } = withQuarantine(before, quarantine, { by, now });
    // Another timer: the jobs have removed the one that they found while the actor was in quarantine.
    const after = quarantine === null ? { ...doc, wakeRev: doc.rev } : doc;
    const commits = [{ before, after, events, effects: [] }];
    const [verdict] = await store.actors.commit(kind, { op: newId('op', now), at: now, relayAt: now, commits });
    if (verdict !== 'applied') continue;
    if (quarantine === null && before.outboxId !== null) {
      await store.records.change('outbox', before.outboxId, {}, { set: { at: now } });
    }
    return true;
  }
}
