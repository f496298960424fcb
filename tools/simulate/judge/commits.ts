import type { ActorKind } from '../../../src/store/documents.ts';
import type { Commit, CommitVerdict, Store } from '../../../src/store/port.ts';

/** Records every commit that was answered `applied`, and checks that the store keeps it. */
export class Commits {
  /** `<kind>:<id>` → its highest acknowledged rev. */
  readonly #revs = new Map<string, { readonly kind: ActorKind; readonly id: string; readonly rev: number }>();
  /** `<id>:<rev>` → the operation that made this revision. */
  readonly #ops = new Map<string, string>();
  readonly violations: string[] = [];

  record(kind: ActorKind, commits: readonly Commit[], verdicts: readonly CommitVerdict[]): void {
    for (const [index, { id, set, op }] of commits.entries()) {
      if (verdicts[index] !== 'applied') continue;
      const revision = `${id}:${set.rev}`;
      const before = this.#ops.get(revision);
      if (before !== undefined && before !== op) {
        this.violations.push(`${id} took revision ${set.rev} twice, by ${before} and ${op}: both were acknowledged`);
      }
      this.#ops.set(revision, op);
      const known = this.#revs.get(`${kind}:${id}`);
      if (!known || known.rev < set.rev) this.#revs.set(`${kind}:${id}`, { kind, id, rev: set.rev });
    }
  }

  /** Acknowledged commits that the store lost. */
  async lost(store: Store): Promise<string[]> {
    const lost: string[] = [];
    for (const { kind, id, rev } of this.#revs.values()) {
      const [doc] = await store.actors.load(kind, [id]);
      if (!doc) lost.push(`${id} was acknowledged with revision ${rev} and is not there`);
      else if (doc.rev < rev) lost.push(`${id} was acknowledged with revision ${rev} and stands at ${doc.rev}`);
    }
    return lost;
  }
}
