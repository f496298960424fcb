import type { EffectEnd, EffectResult } from '../engine/types.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Tenant } from '../store/documents.ts';
import { queueOf } from './deliveries.ts';

/** From how many unstored first attempts a queue's further events wait, and how many are admitted at once. */
const FULL_FROM = 256;
const ADMITTED_MAX = 192;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (end: EffectEnd) => void;
}

const NO_RESULT = { failed: new Error('emit returned no result for this event') };

/**
 * Admission control: admits events as fast as their endpoint answers. Otherwise all events would be logged first, and
 * then their deliveries would have to be stored before they are posted. Events of one endpoint wait only for one
 * another, and not for long: an attempt without an early answer is stored and no longer counts.
 */
export class AdmissionControl<Item extends { readonly source: Tenant }> {
  readonly #run: (items: readonly Item[]) => Promise<readonly EffectResult[]>;
  readonly #waiting = new Map<string, Waiting<Item>[]>();
  readonly #running = new Set<string>();
  /** The number of first attempts that are not stored yet, by queue. */
  readonly #unstored = new Map<string, number>();

  constructor(run: (items: readonly Item[]) => Promise<readonly EffectResult[]>) {
    this.#run = run;
  }

  async admit(items: readonly Item[]): Promise<EffectResult[]> {
    const results = new Map<Item, EffectResult>();
    const now = items.filter((item) => {
      const queue = queueOf(item.source);
      if (!this.#waiting.has(queue) && !this.#isFull(queue)) return true;
      results.set(item, { later: this.#wait(queue, item) });
      return false;
    });
    const ran = now.length > 0 ? await this.#run(now) : [];
    for (const [index, item] of now.entries()) results.set(item, ran[index] ?? NO_RESULT);
    return items.map((item) => results.get(item) ?? NO_RESULT);
  }

  /** Call with every first attempt that begins before its delivery is stored. */
  begun(tenant: Tenant): void {
    const queue = queueOf(tenant);
    this.#unstored.set(queue, (this.#unstored.get(queue) ?? 0) + 1);
  }

  /** Call when that attempt has ended, or its delivery is stored: it admits further events of the queue. */
  over(tenant: Tenant): void {
    const queue = queueOf(tenant);
    const left = (this.#unstored.get(queue) ?? 0) - 1;
    if (left > 0) this.#unstored.set(queue, left);
    else this.#unstored.delete(queue);
    this.#admitNext(queue);
  }

  /** Leaves all waiting events to the outbox. */
  stop(): void {
    this.#unstored.clear();
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { resolve } of all) resolve({ held: 'the process has been stopped' });
  }

  #isFull(queue: string): boolean {
    return (this.#unstored.get(queue) ?? 0) >= FULL_FROM;
  }

  #admitNext(queue: string): void {
    const waiting = this.#waiting.get(queue);
    if (!waiting || this.#running.has(queue) || this.#isFull(queue)) return;
    this.#running.add(queue);
    const next = waiting.splice(0, ADMITTED_MAX);
    if (waiting.length === 0) this.#waiting.delete(queue);
    void this.#admitWaiting(next).finally(() => {
      this.#running.delete(queue);
      this.#admitNext(queue);
    });
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
      const results = await this.#run(next.map(({ item }) => item));
      for (const [index, { resolve }] of next.entries()) {
        const result = results[index] ?? NO_RESULT;
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
