/** The outboxes that this process removes when their effects have ended, found by effect. */
export class OpenOutboxes {
  /** By outbox: the ids of its effects that have not ended. */
  readonly #left = new Map<string, Set<string>>();
  /** By effect: the outboxes that have it. A later commit of the same document stores it again in its own outbox. */
  readonly #holders = new Map<string, string[]>();

  /** Adds effects to an outbox, which opens with the first one. */
  add(outboxId: string, effectIds: readonly string[]): void {
    if (effectIds.length === 0) return;
    const left = this.#left.get(outboxId) ?? new Set();
    this.#left.set(outboxId, left);
    for (const id of effectIds.filter((one) => !left.has(one))) {
      left.add(id);
      this.#holders.set(id, [...(this.#holders.get(id) ?? []), outboxId]);
    }
  }

  /** Leaves an outbox to the relay job. */
  leave(outboxId: string): void {
    for (const id of this.#left.get(outboxId) ?? []) this.#letGo(id, outboxId);
    this.#left.delete(outboxId);
  }

  /** The outboxes whose last effect this was; they are open no longer. */
  ended(effectId: string): readonly string[] {
    const holders = this.#holders.get(effectId) ?? [];
    this.#holders.delete(effectId);
    for (const outboxId of holders) this.#left.get(outboxId)?.delete(effectId);
    const over = holders.filter((outboxId) => this.#left.get(outboxId)?.size === 0);
    for (const outboxId of over) this.#left.delete(outboxId);
    return over;
  }

  #letGo(effectId: string, outboxId: string): void {
    const others = this.#holders.get(effectId)?.filter((one) => one !== outboxId) ?? [];
    if (others.length > 0) this.#holders.set(effectId, others);
    else this.#holders.delete(effectId);
  }
}
