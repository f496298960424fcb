import { deliveryEnded, deliveryInTurn, type NewDelivery } from '../../machines/delivery/context.ts';
import type { Create, Created, EffectEnd } from '../engine/types.ts';
import { messageOf } from '../errors/message-of.ts';
import { Coalescer } from '../store/coalesce.ts';
import type { EventDoc } from '../store/collections.ts';
import type { StoredActor } from '../store/documents.ts';
import type { AdmissionControl } from './admission-control.ts';
import { type AttemptEnded, reportOf, storing } from './attempt.ts';
import { newbornOf, numberTaken } from './deliveries.ts';
import type { WebhookParts } from './parts.ts';

export interface FirstAttemptLimits {
  /** The most such attempts in a process; 0 stores every delivery before it is posted. */
  readonly most: number;
  /**
   * How long an attempt may run before its delivery is stored, in milliseconds. Keep it well below the engine's grace
   * period, after which another process may run the outbox that still has the event.
   */
  readonly withinMs: number;
}

export const FIRST_ATTEMPT_LIMITS: FirstAttemptLimits = { most: 4_000, withinMs: 750 };

/** The most deliveries created by one write, and the most such writes under way. */
const BIRTHS_MAX = 500;
const WRITES_MAX = 2;

/** From how many attempts under way an outcome waits to be stored with others, and how long, in milliseconds. */
const COMPANY_FROM = 16;
const COMPANY_MS = 100;

export interface FirstAttempt {
  readonly event: EventDoc;
  readonly delivery: NewDelivery;
  /** The event was in the log by this moment of the process's monotonic clock, in milliseconds. */
  readonly loggedBy: number;
  /** Called once, with the end of the effect that emitted the event. */
  readonly settle: (end: EffectEnd) => void;
}

type Admission = Pick<AdmissionControl<never>, 'begun' | 'over' | 'stop'>;

/**
 * Makes a first attempt before its delivery is stored: most receivers answer at once, so the delivery is written once,
 * with its outcome, instead of twice. Until then the outbox that emitted the event keeps it, so a process that dies
 * loses nothing. An attempt that takes longer, or fails, is stored as a delivery under way and continues as all others
 * do.
 */
export class FirstAttempts {
  readonly #parts: WebhookParts;
  readonly #admission: Admission;
  readonly #limits: FirstAttemptLimits;
  /** With the moment of the process by which each has to be stored; the oldest first. */
  readonly #unstored = new Map<FirstAttempt, number>();
  /** Deliveries that are being stored while their attempts run. null: another process has stored it. */
  readonly #stored = new WeakMap<FirstAttempt, Promise<StoredActor | null>>();
  readonly #births: Coalescer<Create, Created>;
  #timer: NodeJS.Timeout | null = null;
  #company: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  constructor(parts: WebhookParts, admission: Admission, limits: FirstAttemptLimits) {
    this.#parts = parts;
    this.#admission = admission;
    this.#limits = limits;
    this.#births = new Coalescer({
      maxSize: BIRTHS_MAX,
      concurrency: WRITES_MAX,
      run: (births) => parts.engine.create('delivery', births),
    });
  }

  hasCapacity(): boolean {
    return this.#unstored.size < this.#limits.most;
  }

  /** Registers a first attempt. Its effect ends once its outcome is stored, or at the deadline that it is under way. */
  add(first: FirstAttempt): void {
    const { withinMs } = this.#limits;
    this.#unstored.set(first, performance.now() + withinMs);
    this.#admission.begun(first.event);
    this.#timer ??= setTimeout(() => this.#storeOverdue(), withinMs);
  }

  /** Stores the outcome. Rejects if it cannot be stored. */
  async ended(first: FirstAttempt, event: AttemptEnded): Promise<void> {
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

  /** Stores the delivery as under way, whether or not the attempt has begun. Its lease decides how it continues. */
  givenUp(first: FirstAttempt): void {
    if (this.#remove(first)) this.#store(first);
  }

  /** Leaves all attempts that are not stored yet to the outboxes. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const left = [...this.#unstored.keys()];
    this.#unstored.clear();
    this.#admission.stop();
    for (const { settle } of left) settle({ held: 'the process has been stopped' });
  }

  #remove(first: FirstAttempt): boolean {
    if (!this.#unstored.delete(first)) return false;
    this.#admission.over(first.event);
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

  #store(first: FirstAttempt): void {
    const birth = this.#born(first, newbornOf(first.event, deliveryInTurn(first.delivery)));
    const stored = birth.then((made) => {
      first.settle('done');
      return made.kind === 'created' ? made.doc : null;
    });
    this.#stored.set(first, stored);
    // Anyone who brings the outcome learns of it.
    stored.catch(() => {});
  }

  async #born(first: FirstAttempt, birth: Create): Promise<Created> {
    try {
      await this.#together();
      return await storing(this.#parts, birth.id, () => this.#births.ask(birth));
    } catch (error) {
      first.settle({ held: messageOf(error) });
      throw error;
    }
  }

  /**
   * Delays a write so that outcomes are stored together, because nobody waits for them: for `COMPANY_MS`, or until few
   * attempts are left that could join.
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

  /**
   * Reports the outcome to the delivery that another process has stored, unless its number belongs to another event.
   */
  async #notifyOther(first: FirstAttempt, event: AttemptEnded): Promise<void> {
    const { id, eventId } = first.delivery;
    const [doc] = await storing(this.#parts, id, () => this.#parts.store.actors.load('delivery', [id]));
    if (doc?.attributes['eventId'] === eventId) await this.#report(first, null, event);
    else first.settle({ failed: numberTaken(first.delivery) });
  }

  async #report({ delivery: { id } }: FirstAttempt, seen: StoredActor | null, event: AttemptEnded): Promise<void> {
    await storing(this.#parts, id, () => this.#parts.engine.dispatch(reportOf(id, event, seen)));
  }
}
