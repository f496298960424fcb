import { partsOf } from '../../chains/witness.ts';

/**
 * Looks of which each id has one at a time, however many ask: whoever asks while one is under way gets the one behind it,
 * together with everybody else who asks until that begins. So what a look says is never older than the question.
 */
export class SharedLooks {
  readonly #together: number;
  readonly #look: (ids: readonly string[]) => Promise<void>;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** @param together so many ids are looked at in one look */
  constructor(together: number, look: (ids: readonly string[]) => Promise<void>) {
    this.#together = together;
    this.#look = look;
  }

  /** Throws what one of the looks has thrown. */
  async run(ids: readonly string[]): Promise<void> {
    const all = [...new Set(ids)];
    const idle = all.filter((id) => !this.#underWay.has(id) && !this.#next.has(id));
    const busy = all.filter((id) => !idle.includes(id));
    await Promise.all([
      ...partsOf(idle, this.#together).map((part) => this.#begin(part)),
      ...busy.map((id) => this.#behind(id)),
    ]);
  }

  async #begin(ids: readonly string[]): Promise<void> {
    const look = this.#look(ids);
    for (const id of ids) this.#underWay.set(id, look);
    try {
      await look;
    } finally {
      for (const id of ids) if (this.#underWay.get(id) === look) this.#underWay.delete(id);
    }
  }

  #behind(id: string): Promise<void> {
    const next = this.#next.get(id) ?? this.#afterThis(id);
    this.#next.set(id, next);
    return next;
  }

  async #afterThis(id: string): Promise<void> {
    await Promise.allSettled([this.#underWay.get(id)]);
    this.#next.delete(id);
    await this.#begin([id]);
  }
}
