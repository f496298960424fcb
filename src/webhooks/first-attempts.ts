import type { EffectEnd } from '../engine/types.ts';
import { messageOf } from '../errors/message-of.ts';
import type { EventDoc } from '../store/collections.ts';
import type { AdmissionControl } from './admission-control.ts';
import { type AttemptEnded, storing } from './attempt.ts';
import { decide } from './deliveries.ts';
import type { WebhookParts } from './parts.ts';

export interface FirstAttemptLimits {
  /** The most such attempts in a process; 0 stores every event before it is posted. */
  readonly most: number;
  /**
   * How long an attempt may run before its event is stored, in milliseconds. Keep it well below the engine's grace
   * period, after which another process may run the outbox that still has the event.
   */
  readonly withinMs: number;
}

export const FIRST_ATTEMPT_LIMITS: FirstAttemptLimits = { most: 4_000, withinMs: 750 };

/** From how many attempts under way an outcome waits to be stored with others, and how long, in milliseconds. */
const COMPANY_FROM = 16;
const COMPANY_MS = 100;

export interface FirstAttempt {
  /** As it is stored if the attempt takes too long. */
  readonly event: EventDoc;
  /** The event was committed by this moment of the process's monotonic clock, in milliseconds. */
  readonly begunAt: number;
  /** Called once, with the end of the effect that emitted the event. */
  readonly settle: (end: EffectEnd) => void;
}

type Admission = Pick<AdmissionControl<never>, 'begun' | 'over' | 'stop'>;

/**
 * Makes a first attempt before its event is stored: most receivers answer at once, so the event is written once, with
 * the outcome. Until then the outbox that emitted the event keeps it, so a process that dies loses nothing. If an
 * attempt takes longer, the event is stored with the attempt under way, and its delivery continues as all others do.
 */
export class FirstAttempts {
  readonly #parts: WebhookParts;
  readonly #admission: Admission;
  readonly #limits: FirstAttemptLimits;
  /** With the moment of the process by which each has to be stored; the oldest first. */
  readonly #unstored = new Map<FirstAttempt, number>();
  /** Events that are being stored while their attempts run. */
  readonly #stored = new WeakMap<FirstAttempt, Promise<unknown>>();
  #timer: NodeJS.Timeout | null = null;
  #company: { readonly over: Promise<void>; readonly end: () => void } | null = null;

  constructor(parts: WebhookParts, admission: Admission, limits: FirstAttemptLimits) {
    this.#parts = parts;
    this.#admission = admission;
    this.#limits = limits;
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
  async ended(first: FirstAttempt, message: AttemptEnded): Promise<void> {
    const { events, clock } = this.#parts;
    const { event } = first;
    if (this.#remove(first)) {
      const outcome = decide(event, message, clock());
      if (outcome && (await this.#insert(first, outcome, message))) return;
    }
    await this.#stored.get(first);
    await storing(this.#parts, event._id, () => events.take(event._id, message, event));
  }

  /** Stores the event as under way, whether or not the attempt has begun. Its lease decides how it continues. */
  givenUp(first: FirstAttempt): void {
    if (this.#remove(first))
      this.#stored.set(
        first,
        this.#insert(first, first.event).catch(() => {}),
      );
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

  /** False: another process has stored it. */
  async #insert(first: FirstAttempt, event: EventDoc, message?: AttemptEnded): Promise<boolean> {
    try {
      await this.#together();
      const isInserted = await storing(this.#parts, event._id, () => this.#parts.events.insert(event, message));
      first.settle('done');
      return isInserted;
    } catch (error) {
      first.settle({ held: messageOf(error) });
      throw error;
    }
  }

  /** Outcomes are stored together, as nobody waits for them: for `COMPANY_MS`, or until few attempts could join. */
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
}
