import type { EffectEnd, EffectResult } from '../engine/types.ts';
import { messageOf } from '../errors/message-of.ts';

/** From how many unstored first attempts a queue's further events wait, and how many are admitted at once. */
const FULL_FROM = 256;
const ADMITTED_MAX = 192;

export interface AdmissionControlDeps<Item> {
  readonly queueOf: (item: Item) => string;
  /** The number of a queue's first attempts that are not stored yet. */
  readonly countOf: (queue: string) => number;
  readonly run: (items: readonly Item[]) => Promise<readonly EffectResult[]>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (end: EffectEnd) => void;
}

/**
 * Admission control: admits events as fast as their endpoint answers. Otherwise all events would be logged first, and
 * then their deliveries would have to be stored before they are posted. Events of one endpoint wait only for one
 * another, and not for long: an attempt without an early answer is stored and no longer counts.
 */
export class AdmissionControl<Item> {
  readonly #deps: AdmissionControlDeps<Item>;
  readonly #waiting = new Map<string, Waiting<Item>[]>();
  readonly #running = new Set<string>();

  constructor(deps: AdmissionControlDeps<Item>) {
    this.#deps = deps;
  }

  /** The results of the items, in their order. */
  async admit(items: readonly Item[]): Promise<EffectResult[]> {
    const results = new Map<Item, EffectResult>();
    const now = items.filter((item) => {
      const queue = this.#deps.queueOf(item);
      if (!this.#waiting.has(queue) && this.#deps.countOf(queue) < FULL_FROM) return true;
      results.set(item, { later: this.#wait(queue, item) });
      return false;
    });
    if (now.length > 0) {
      for (const [index, result] of (await this.#deps.run(now)).entries()) {
        const item = now[index];
        if (item !== undefined) results.set(item, result);
      }
    }
    return items.map((item) => results.get(item) ?? { failed: new Error('emit returned no result for this event') });
  }

  /** Admits further events of a queue that has one attempt less. */
  released(queue: string): void {
    const waiting = this.#waiting.get(queue);
    if (!waiting || this.#running.has(queue) || this.#deps.countOf(queue) >= FULL_FROM) return;
    this.#running.add(queue);
    const next = waiting.splice(0, ADMITTED_MAX);
    if (waiting.length === 0) this.#waiting.delete(queue);
    void this.#admitWaiting(next).finally(() => {
      this.#running.delete(queue);
      this.released(queue);
    });
  }

  /** Leaves all waiting events to the outbox. */
  stop(): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { resolve } of all) resolve({ held: 'the process has been stopped' });
  }

  #wait(queue: string, item: Item): Promise<EffectEnd> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(queue);
      if (waiting) waiting.push({ item, resolve });
      else this.#waiting.set(queue, [{ item, resolve }]);
    });
  }

  async #admitWaiting(next: readonly Waiting<Item>[]): Promise<void> {
    try {
      const results = await this.#deps.run(next.map(({ item }) => item));
      for (const [index, { resolve }] of next.entries()) {
        const result = results[index] ?? { failed: new Error('emit returned no result for this event') };
        if (typeof result === 'object' && 'later' in result) void result.later.then(resolve);
        else resolve(result);
      }
    } catch (error) {
      // An error of the whole batch is no item's own failure, so the outbox runs them again.
      const held = messageOf(error);
      for (const { resolve } of next) resolve({ held });
    }
  }
}
