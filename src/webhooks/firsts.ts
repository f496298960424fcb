import { deliveryEnded, deliveryInTurn, type NewDelivery } from '../../machines/delivery/context.ts';
import type { Engine } from '../engine/engine.ts';
import type { Create, Created, EffectEnd } from '../engine/types.ts';
import { messageOf } from '../errors/message-of.ts';
import type { Log } from '../observability/log.ts';
import { Coalescer } from '../store/coalesce.ts';
import type { EventDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import type { AttemptEnded } from './attempt.ts';
import { BY_WEBHOOKS, newbornOf, numberTaken, queueOf } from './deliveries.ts';
import type { Pace } from './pace.ts';
import { storing } from './storing.ts';

/** When first attempts are made before their deliveries are stored. */
export interface FirstLimits {
  /** How many there may be in a process; 0: every delivery is stored before it is posted. */
  readonly most: number;
  /**
   * How long one may go on before its delivery is stored, milliseconds. Well below the engine's grace: until then nobody else
   * takes up the outbox that still holds the event.
   */
  readonly withinMs: number;
}

export const FIRST_LIMITS: FirstLimits = { most: 4_000, withinMs: 750 };

/** How many births go into one write, and how many such writes may be under way. */
const BIRTHS_MAX = 500;
const WRITES_MAX = 2;

/** From how many under way an outcome waits for company, and how long. */
const COMPANY_FROM = 16;
const COMPANY_MS = 100;

export interface FirstsDeps {
  readonly store: Pick<Store, 'actors'>;
  readonly engine: Pick<Engine, 'create' | 'dispatch'>;
  readonly log: Log;
  /** Hears that a queue has one less of them, and that there will be no more. */
  readonly pace: Pick<Pace<unknown>, 'less' | 'stop'>;
  readonly limits: FirstLimits;
}

/** The first attempt of a delivery that is not stored yet. */
export interface First {
  readonly event: EventDoc;
  readonly delivery: NewDelivery;
  /** A moment of the process, milliseconds, by which the event was in the log. */
  readonly loggedBy: number;
  /** Hears once what has become of the effect that asked for it. */
  readonly settle: (end: EffectEnd) => void;
}

/**
 * Most receivers answer at once. So a first attempt is made before its delivery is stored, which is then written once, with
 * the outcome in it, instead of twice. Until it is, the outbox that asked for the event keeps it: a process that dies loses
 * nothing. What takes longer, or fails, is stored as a delivery under way, and goes on as all others do.
 */
export class Firsts {
  readonly #deps: FirstsDeps;
  readonly #limits: FirstLimits;
  /** With the moment, of the process, by which each is stored; the oldest first. */
  readonly #unstored = new Map<First, number>();
  readonly #perQueue = new Map<string, number>();
  /** What is being stored with its attempt under way; null: somebody else has stored it. */
  readonly #stored = new WeakMap<First, Promise<ActorDoc | null>>();
  readonly #births: Coalescer<Create, Created>;
  #timer: NodeJS.Timeout | null = null;
  #company: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  constructor(deps: FirstsDeps) {
    this.#deps = deps;
    this.#limits = deps.limits;
    this.#births = new Coalescer({
      sizeOf: () => 1,
      maxSize: BIRTHS_MAX,
      maxFlights: WRITES_MAX,
      run: (births) => deps.engine.create('delivery', births),
    });
  }

  hasRoom(): boolean {
    return this.#unstored.size < this.#limits.most;
  }

  /** How many of a queue are not stored yet. */
  countOf(queue: string): number {
    return this.#perQueue.get(queue) ?? 0;
  }

  /** From now on the outcome, or what is known by the deadline, is stored, and the effect learns of it then. */
  add(first: First): void {
    const { withinMs } = this.#limits;
    const queue = queueOf(first.event);
    this.#unstored.set(first, performance.now() + withinMs);
    this.#perQueue.set(queue, this.countOf(queue) + 1);
    this.#timer ??= setTimeout(() => this.#storeOverdue(), withinMs);
  }

  /** Stores the outcome. Rejects when that cannot be done. */
  async ended(first: First, event: AttemptEnded): Promise<void> {
    const isUnstored = this.#remove(first);
    if (isUnstored && event.outcome === 'delivered') {
      const made = await this.#born(first, newbornOf(first.event, deliveryEnded(first.delivery, event.record)));
      if (made.kind === 'exists') await this.#notifyOther(first, event);
      first.settle('done');
      return;
    }
    if (isUnstored) this.#store(first);
    await this.#report(first, (await this.#stored.get(first)) ?? null, event);
  }

  /** Stores it as under way, however far it has come: what becomes of it is its lease's business. */
  givenUp(first: First): void {
    if (this.#remove(first)) this.#store(first);
  }

  /** What is not stored by now is left to the outboxes. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const left = [...this.#unstored.keys()];
    this.#unstored.clear();
    this.#perQueue.clear();
    this.#deps.pace.stop();
    for (const { settle } of left) settle({ held: 'the process has been stopped' });
  }

  #remove(first: First): boolean {
    if (!this.#unstored.delete(first)) return false;
    const queue = queueOf(first.event);
    const left = this.countOf(queue) - 1;
    if (left > 0) this.#perQueue.set(queue, left);
    else this.#perQueue.delete(queue);
    this.#deps.pace.less(queue);
    if (this.#unstored.size < COMPANY_FROM) this.#company?.end();
    return true;
  }

  #storeOverdue(): void {
    this.#timer = null;
    const now = performance.now();
    for (const [first, at] of this.#unstored) {
      if (at > now) {
        this.#timer = setTimeout(() => this.#storeOverdue(), at - now);
        return;
      }
      this.givenUp(first);
    }
  }

  #store(first: First): void {
    const birth = this.#born(first, newbornOf(first.event, deliveryInTurn(first.delivery)));
    const stored = birth.then((made) => {
      first.settle('done');
      return made.kind === 'created' ? made.doc : null;
    });
    this.#stored.set(first, stored);
    // Whoever brings the outcome learns of it.
    stored.catch(() => {});
  }

  async #born(first: First, birth: Create): Promise<Created> {
    try {
      await this.#together();
      return await storing(this.#deps, birth.id, () => this.#births.ask(birth));
    } catch (error) {
      first.settle({ held: messageOf(error) });
      throw error;
    }
  }

  /**
   * Nobody waits for an outcome to be stored, so where many are under way they are stored together: after a moment, or as soon
   * as hardly any are left that could come along.
   */
  async #together(): Promise<void> {
    if (this.#unstored.size < COMPANY_FROM) return;
    this.#company ??= this.#gather();
    await this.#company.over;
  }

  #gather(): { readonly over: Promise<void>; readonly end: () => void } {
    let end = (): void => {};
    const over = new Promise<void>((resolve) => {
      const timer = setTimeout(() => end(), COMPANY_MS);
      end = () => {
        clearTimeout(timer);
        this.#company = null;
        resolve();
      };
    });
    return { over, end };
  }

  /** Somebody else has stored the delivery meanwhile, unless its number belongs to another event. */
  async #notifyOther(first: First, event: AttemptEnded): Promise<void> {
    const { id, eventId } = first.delivery;
    const [doc] = await storing(this.#deps, id, () => this.#deps.store.actors.load('delivery', [id]));
    if (doc?.attributes['eventId'] === eventId) await this.#report(first, null, event);
    else first.settle({ failed: numberTaken(first.delivery) });
  }

  async #report({ delivery: { id } }: First, seen: ActorDoc | null, event: AttemptEnded): Promise<void> {
    const reported = { kind: 'delivery', id, event, by: BY_WEBHOOKS } as const;
    const dispatch = seen ? { ...reported, seen, clearsOutbox: true as const } : reported;
    await storing(this.#deps, id, () => this.#deps.engine.dispatch(dispatch));
  }
}
