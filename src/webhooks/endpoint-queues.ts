/** A queue may use at most this share of the free slots. */
const SHARE_OF_FREE = 1 / 4;

export interface EndpointQueuesOptions {
  /** The most items under way in all queues together. */
  readonly total: number;
  /** The most items under way in one queue. */
  readonly perQueue: number;
}

interface EndpointQueue<T> {
  readonly waiting: Map<string, T>;
  active: number;
}

/**
 * Waiting items, in queues that must not block one another. The queues are served in turn. A lone queue may use
 * `perQueue` slots. The more queues hold slots for long, the fewer each may use, so that some stay free for new ones.
 */
export class EndpointQueues<T> {
  readonly #options: EndpointQueuesOptions;
  readonly #queues = new Map<string, EndpointQueue<T>>();
  #active = 0;
  #waiting = 0;

  constructor(options: EndpointQueuesOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Replaces a waiting item of the same id. */
  add(name: string, id: string, item: T): void {
    const queue = this.#queues.get(name) ?? { waiting: new Map<string, T>(), active: 0 };
    this.#queues.set(name, queue);
    if (!queue.waiting.has(id)) this.#waiting += 1;
    queue.waiting.set(id, item);
  }

  /** The next items to start, at most `max`: one of each queue, round after round. Call `release` once for each. */
  take(max: number): T[] {
    const taken: T[] = [];
    if (this.#waiting === 0) return taken;
    let round = [...this.#queues].filter(([, queue]) => queue.waiting.size > 0);
    while (round.length > 0 && taken.length < max) {
      round = round.filter(([name, queue]) => taken.length < max && this.#takeOf(name, queue, taken));
    }
    return taken;
  }

  release(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue) return;
    queue.active -= 1;
    this.#active -= 1;
    if (queue.active === 0 && queue.waiting.size === 0) this.#queues.delete(name);
  }

  /** Drops all waiting items. */
  clear(): void {
    for (const [name, queue] of this.#queues) {
      queue.waiting.clear();
      if (queue.active === 0) this.#queues.delete(name);
    }
    this.#waiting = 0;
  }

  /** False if this queue may start no further item now. A queue that was served moves behind the others. */
  #takeOf(name: string, queue: EndpointQueue<T>, into: T[]): boolean {
    const free = this.#options.total - this.#active;
    const share = Math.min(this.#options.perQueue, Math.max(1, Math.floor(free * SHARE_OF_FREE)));
    const [next] = queue.waiting;
    if (!next || free === 0 || queue.active >= share) return false;
    const [id, item] = next;
    queue.waiting.delete(id);
    queue.active += 1;
    this.#active += 1;
    this.#waiting -= 1;
    this.#queues.delete(name);
    this.#queues.set(name, queue);
    into.push(item);
    return true;
  }
}
