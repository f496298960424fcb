/** A lane may take at most this share of the slots that are free beside it. */
const SHARE_OF_FREE = 1 / 4;

export interface LanesOptions {
  /** How many items of all lanes may be under way. */
  readonly total: number;
  /** And how many of one lane, at most. */
  readonly perLane: number;
}

interface Lane<T> {
  readonly waiting: Map<string, T>;
  active: number;
}

/**
 * Items that wait for their turn, in lanes that must not hold one another up. Lanes take turns. How many items of a lane may
 * be under way follows from how many slots are free: one lane alone may have `perLane`, and the more lanes hold slots for
 * long, the fewer each may hold, so that some always stay free for the lanes that come.
 */
export class Lanes<T> {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane<T>>();
  #active = 0;
  #waiting = 0;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Under an id that waits already, the item takes the place of that one. */
  add(name: string, id: string, item: T): void {
    const lane = this.#lanes.get(name) ?? { waiting: new Map<string, T>(), active: 0 };
    this.#lanes.set(name, lane);
    if (!lane.waiting.has(id)) this.#waiting += 1;
    lane.waiting.set(id, item);
  }

  /** The next items that may be under way, at most `max`: one of each lane, round after round. Each is to be released. */
  take(max: number): T[] {
    const taken: T[] = [];
    if (this.#waiting === 0) return taken;
    let round = [...this.#lanes].filter(([, lane]) => lane.waiting.size > 0);
    while (round.length > 0 && taken.length < max) {
      round = round.filter(([name, lane]) => taken.length < max && this.#takeOf(name, lane, taken));
    }
    return taken;
  }

  release(name: string): void {
    const lane = this.#lanes.get(name);
    if (!lane) return;
    lane.active -= 1;
    this.#active -= 1;
    if (lane.active === 0 && lane.waiting.size === 0) this.#lanes.delete(name);
  }

  /** Forgets what waits. */
  clear(): void {
    for (const [name, lane] of this.#lanes) {
      lane.waiting.clear();
      if (lane.active === 0) this.#lanes.delete(name);
    }
    this.#waiting = 0;
  }

  /** False: this lane may not have another one now. A lane that was served goes behind the others. */
  #takeOf(name: string, lane: Lane<T>, into: T[]): boolean {
    const free = this.#options.total - this.#active;
    const share = Math.min(this.#options.perLane, Math.max(1, Math.floor(free * SHARE_OF_FREE)));
    const [next] = lane.waiting;
    if (!next || free === 0 || lane.active >= share) return false;
    const [id, item] = next;
    lane.waiting.delete(id);
    lane.active += 1;
    this.#active += 1;
    this.#waiting -= 1;
    this.#lanes.delete(name);
    this.#lanes.set(name, lane);
    into.push(item);
    return true;
  }
}
