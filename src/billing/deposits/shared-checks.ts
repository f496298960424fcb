import { partsOf } from '../../chains/chain-reader.ts';

/** A check under way. */
interface Check {
  readonly done: Promise<void>;
  /** The ids requested meanwhile, and the check that they share. */
  behind: { readonly ids: Set<string>; readonly done: Promise<void> } | null;
}

/**
 * Runs at most one check per id at a time. All requests during a check share the next one, so a result is never older than
 * its request.
 */
export class SharedChecks {
  readonly #together: number;
  readonly #check: (ids: readonly string[]) => Promise<void>;
  readonly #underWay = new Map<string, Check>();

  /** @param together the most ids in one check */
  constructor(together: number, check: (ids: readonly string[]) => Promise<void>) {
    this.#together = together;
    this.#check = check;
  }

  /** Throws the error of the first check that fails. */
  async run(ids: readonly string[]): Promise<void> {
    const idle: string[] = [];
    const behind = new Set<Promise<void>>();
    for (const id of new Set(ids)) {
      const check = this.#underWay.get(id);
      if (check) behind.add(this.#joinBehind(check, id));
      else idle.push(id);
    }
    await Promise.all([...partsOf(idle, this.#together).map((part) => this.#begin(part)), ...behind]);
  }

  #begin(ids: readonly string[]): Promise<void> {
    const check: Check = { done: this.#check(ids).finally(() => this.#end(ids, check)), behind: null };
    for (const id of ids) this.#underWay.set(id, check);
    return check.done;
  }

  /** An id in the next check stays marked, so that nobody starts another check for it. */
  #end(ids: readonly string[], check: Check): void {
    for (const id of ids) if (!check.behind?.ids.has(id)) this.#underWay.delete(id);
  }

  #joinBehind(check: Check, id: string): Promise<void> {
    check.behind ??= this.#after(check);
    check.behind.ids.add(id);
    return check.behind.done;
  }

  #after({ done }: Check): NonNullable<Check['behind']> {
    const ids = new Set<string>();
    return { ids, done: done.catch(() => {}).then(() => this.#begin([...ids])) };
  }
}
