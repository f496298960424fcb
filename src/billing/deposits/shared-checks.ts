import { partsOf } from '../../chains/chain-reader.ts';

/** One check that is under way. */
interface Check {
  readonly done: Promise<void>;
  /** Those who have asked meanwhile, and the check that they get. */
  behind: { readonly ids: Set<string>; readonly done: Promise<void> } | null;
}

/**
 * Checks of which each id has one at a time, however many ask: whoever asks while one is under way gets the one behind it,
 * together with everybody else who asks until that begins. So what a check says is never older than the question.
 */
export class SharedChecks {
  readonly #together: number;
  readonly #check: (ids: readonly string[]) => Promise<void>;
  readonly #underWay = new Map<string, Check>();

  /** @param together so many ids are checked in one check */
  constructor(together: number, check: (ids: readonly string[]) => Promise<void>) {
    this.#together = together;
    this.#check = check;
  }

  /** Throws what one of the checks has thrown. */
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

  /** Of an id for which somebody waits another check is about to begin: until then nobody begins one. */
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
