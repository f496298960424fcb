import { rowId } from '../../../src/store/actors/heads.ts';
import type { ActorKind } from '../../../src/store/documents.ts';
import type { CommitBatch, CommitVerdict, Store } from '../../../src/store/port.ts';

/** Records every commit that was answered `applied`, and checks that the store keeps it. */
export class Commits {
  /** `<kind>:<id>` → its highest acknowledged rev. */
  readonly #revs = new Map<string, { readonly kind: ActorKind; readonly id: string; readonly rev: number }>();
  /** The id of a row → the operation that stored it. */
  readonly #ops = new Map<string, string>();
  readonly violations: string[] = [];

  record(kind: ActorKind, { op, commits }: CommitBatch, verdicts: readonly CommitVerdict[]): void {
    for (const [index, { before, after }] of commits.entries()) {
      if (verdicts[index] !== 'applied') continue;
      const { _id: id, rev } = after;
      const revision = rowId(id, (before?.rev ?? 0) + 1);
      const known = this.#ops.get(revision);
      if (known !== undefined && known !== op) {
        this.violations.push(`${id} took revision ${rev} twice, by ${known} and ${op}: both were acknowledged`);
      }
      this.#ops.set(revision, op);
      const highest = this.#revs.get(`${kind}:${id}`);
      if (!highest || highest.rev < rev) this.#revs.set(`${kind}:${id}`, { kind, id, rev });
    }
  }

  /** Acknowledged commits that the store lost. */
  async lost(store: Store): Promise<string[]> {
    const lost: string[] = [];
    for (const { kind, id, rev } of this.#revs.values()) {
      const [doc] = await store.actors.load(kind, [id]);
      if (!doc) lost.push(`${id} was acknowledged with revision ${rev} and is not there`);
      else if (doc.rev < rev) lost.push(`${id} was acknowledged with revision ${rev} and is at ${doc.rev}`);
    }
    const rows = await store.records.get('log', [...this.#ops.keys()]);
    for (const { _id, op } of rows) {
      if (op !== this.#ops.get(_id)) lost.push(`row ${_id} was acknowledged to ${this.#ops.get(_id)} and is by ${op}`);
    }
    return lost;
  }
}
