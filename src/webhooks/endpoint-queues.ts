/** A queue may take at most this share of the slots that are free beside it. */
const SHARE_OF_FREE = 1 / 4;

export interface EndpointQueuesOptions {
  /** How many items of all queues may be under way. */
  readonly total: number;
  /** And how many of one queue, at most. */
  readonly perQueue: number;
}

interface EndpointQueue<T> {
  readonly waiting: Map<string, T>;
  active: number;
}

/**
 * Items that wait for their turn, in queues that must not hold one another up. EndpointQueues take turns. How many items of a queue may
 * be under way follows from how many slots are free: one queue alone may have `perQueue`, and the more queues hold slots for
 * long, the fewer each may hold, so that some always stay free for the queues that come.
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

  /** Under an id that waits already, the item takes the place of that one. */
  add(name: string, id: string, item: T): void {
    const queue = this.#queues.get(name) ?? { waiting: new Map<string, T>(), active: 0 };
    this.#queues.set(name, queue);
    if (!queue.waiting.has(id)) this.#waiting += 1;
    queue.waiting.set(id, item);
  }

  /** The next items that may be under way, at most `max`: one of each queue, round after round. Each is to be released. */
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

  /** Forgets what waits. */
  clear(): void {
    for (const [name, queue] of this.#queues) {
      queue.waiting.clear();
      if (queue.active === 0) this.#queues.delete(name);
    }
    this.#waiting = 0;
  }

  /** False: this queue may not have another one now. A queue that was served goes behind the others. */
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
