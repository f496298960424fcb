/** What is wrong with one chain at the moment, for `/health`: one sentence for each thing that can be. */
export class Troubles {
  readonly #sentences = new Map<string, string>();

  /** Sets or, with null, clears the trouble of one thing. Returns true when that changed something. */
  set(thing: string, sentence: string | null): boolean {
    if ((this.#sentences.get(thing) ?? null) === sentence) return false;
    if (sentence === null) this.#sentences.delete(thing);
    else this.#sentences.set(thing, sentence);
    return true;
  }

  /** All sentences in one, each once; null: all is well. */
  get sentence(): string | null {
    return this.#sentences.size === 0 ? null : [...new Set(this.#sentences.values())].join('; ');
  }
}

/** Something that has to change before this chain can go on: the charges wait. The message is for people. */
export class Blocked extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Blocked';
  }
}
