import { partsOf } from '../../chains/chain-reader.ts';

/** One look that is under way. */
interface Look {
  readonly done: Promise<void>;
  /** Those who have asked meanwhile, and the look that they get. */
  behind: { readonly ids: Set<string>; readonly done: Promise<void> } | null;
}

/**
 * Looks of which each id has one at a time, however many ask: whoever asks while one is under way gets the one behind it,
 * together with everybody else who asks until that begins. So what a look says is never older than the question.
 */
export class SharedLooks {
  readonly #together: number;
  readonly #look: (ids: readonly string[]) => Promise<void>;
  readonly #underWay = new Map<string, Look>();

  /** @param together so many ids are looked at in one look */
  constructor(together: number, look: (ids: readonly string[]) => Promise<void>) {
    this.#together = together;
    this.#look = look;
  }

  /** Throws what one of the looks has thrown. */
  async run(ids: readonly string[]): Promise<void> {
    const idle: string[] = [];
    const behind = new Set<Promise<void>>();
    for (const id of new Set(ids)) {
      const look = this.#underWay.get(id);
      if (look) behind.add(this.#joinBehind(look, id));
      else idle.push(id);
    }
    await Promise.all([...partsOf(idle, this.#together).map((part) => this.#begin(part)), ...behind]);
  }

  #begin(ids: readonly string[]): Promise<void> {
    const look: Look = { done: this.#look(ids).finally(() => this.#end(ids, look)), behind: null };
    for (const id of ids) this.#underWay.set(id, look);
    return look.done;
  }

  /** Of an id for which somebody waits another look is about to begin: until then nobody begins one. */
  #end(ids: readonly string[], look: Look): void {
    for (const id of ids) if (!look.behind?.ids.has(id)) this.#underWay.delete(id);
  }

  #joinBehind(look: Look, id: string): Promise<void> {
    look.behind ??= this.#after(look);
    look.behind.ids.add(id);
    return look.behind.done;
  }

  #after({ done }: Look): NonNullable<Look['behind']> {
    const ids = new Set<string>();
    return { ids, done: done.catch(() => {}).then(() => this.#begin([...ids])) };
  }
}
