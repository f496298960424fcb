import type { EffectEnd, EffectResult } from '../engine/types.ts';
import { messageOf } from '../message-of.ts';

/** From how many first attempts of a lane its further events wait, and how many of them are let in at once. */
const FULL_FROM = 256;
const LET_IN_MAX = 192;

export interface PaceDeps<Item> {
  readonly laneOf: (item: Item) => string;
  /** How many first attempts of a lane are not stored yet. */
  readonly countOf: (lane: string) => number;
  readonly run: (items: readonly Item[]) => Promise<readonly EffectResult[]>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (end: EffectEnd) => void;
}

/**
 * Lets events in as fast as their endpoint takes them: else all that has happened would be logged first, and could only be
 * stored before it is posted. Those of one endpoint wait for one another and for nobody else, and not for long, for what is
 * not answered soon is stored and makes room.
 */
export class Pace<Item> {
  readonly #deps: PaceDeps<Item>;
  readonly #waiting = new Map<string, Waiting<Item>[]>();
  readonly #running = new Set<string>();

  constructor(deps: PaceDeps<Item>) {
    this.#deps = deps;
  }

  /** One result for each, in their order. */
  async take(items: readonly Item[]): Promise<EffectResult[]> {
    const results = new Map<Item, EffectResult>();
    const now = items.filter((item) => {
      const lane = this.#deps.laneOf(item);
      if (!this.#waiting.has(lane) && this.#deps.countOf(lane) < FULL_FROM) return true;
      results.set(item, { later: this.#wait(lane, item) });
      return false;
    });
    if (now.length > 0) {
      for (const [index, result] of (await this.#deps.run(now)).entries()) {
        const item = now[index];
        if (item !== undefined) results.set(item, result);
      }
    }
    return items.map((item) => results.get(item) ?? { failed: new Error('no result was given') });
  }

  /** A lane has become emptier. */
  less(lane: string): void {
    const waiting = this.#waiting.get(lane);
    if (!waiting || this.#running.has(lane) || this.#deps.countOf(lane) >= FULL_FROM) return;
    this.#running.add(lane);
    const next = waiting.splice(0, LET_IN_MAX);
    if (waiting.length === 0) this.#waiting.delete(lane);
    void this.#letIn(next).finally(() => {
      this.#running.delete(lane);
      this.less(lane);
    });
  }

  /** Who waits is left to the outbox. */
  stop(): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const { resolve } of all) resolve({ held: 'the process has been stopped' });
  }

  #wait(lane: string, item: Item): Promise<EffectEnd> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(lane);
      if (waiting) waiting.push({ item, resolve });
      else this.#waiting.set(lane, [{ item, resolve }]);
    });
  }

  async #letIn(next: readonly Waiting<Item>[]): Promise<void> {
    try {
      const results = await this.#deps.run(next.map(({ item }) => item));
      for (const [index, { resolve }] of next.entries()) {
        const result = results[index] ?? { failed: new Error('no result was given') };
        if (typeof result === 'object' && 'later' in result) void result.later.then(resolve);
        else resolve(result);
      }
    } catch (error) {
      // What has gone wrong for all of them is none's failure.
      const held = messageOf(error);
      for (const { resolve } of next) resolve({ held });
    }
  }
}
