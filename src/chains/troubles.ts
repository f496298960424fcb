/** The current troubles of one chain, for `/health`: one sentence for each thing that is wrong. */
export class Troubles {
  readonly #sentences = new Map<string, string>();

  /** Sets the trouble of one thing, or clears it with null. Returns true if that changed anything. */
  set(thing: string, sentence: string | null): boolean {
    if ((this.#sentences.get(thing) ?? null) === sentence) return false;
    if (sentence === null) this.#sentences.delete(thing);
    else this.#sentences.set(thing, sentence);
    return true;
  }

  /** All sentences joined, each once. Null: all is well. */
  get sentence(): string | null {
    return this.#sentences.size === 0 ? null : [...new Set(this.#sentences.values())].join('; ');
  }
}

/** The chain cannot go on before something changes, and its charges wait. The message is for people. */
export class Blocked extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'Blocked';
  }
}
