import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from '../crashtest/random.ts';
import type { Mishaps } from './mishaps.ts';
import type { VirtualTime } from './time.ts';
import type { Trace } from './trace.ts';

/** What is between processes and what they reach. */
export interface Wire {
  /** How many calls are on their way there, also of processes that have died meanwhile. */
  underWay: number;
}

/** What all processes of a run share. */
export interface Surroundings {
  readonly wire: Wire;
  readonly time: VirtualTime;
  readonly pace: Random;
  readonly mishaps: Mishaps;
  readonly trace: Trace;
}

/**
 * One process, as far as its ports go. When it has died nothing that it does reaches anything any more, and nothing that it
 * waits for ever comes: what is left of it in memory cannot be told from what is gone.
 */
export class Life {
  readonly name: string;
  readonly #around: Surroundings;
  readonly #onDeath: () => void;
  #isOver = false;

  constructor(name: string, around: Surroundings, onDeath: () => void) {
    this.name = name;
    this.#around = around;
    this.#onDeath = onDeath;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** It dies now. */
  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#around.trace.say(this.name, `dies: ${why}`);
    this.#onDeath();
  }

  /** A point between two steps of one function, at which it may die. */
  async point(name: string): Promise<void> {
    if (!this.#isOver && this.#around.mishaps.draw('crash.point') !== null) this.end(`at ${name}`);
    if (this.#isOver) await never();
  }

  /**
   * A call of a port, with its way there and back. It may die before anything is done, and when it has been done: then this
   * never settles.
   *
   * @param run does it, when the call has arrived
   * @param slowMs how much longer than usual the way there takes
   */
  async call<T>(what: string, run: () => Promise<T>, slowMs = 0): Promise<T> {
    const { wire, time, pace, mishaps, trace } = this.#around;
    if (this.#isOver) return never();
    const mishap = mishaps.draw('crash.before', 'crash.after');
    if (mishap === 'crash.before') this.end(`before ${what}`);
    wire.underWay += 1;
    await time.pause(slowMs + pace.integer(0, WAY_MS));
    wire.underWay -= 1;
    // What a process had sent when it died arrives all the same, now and then.
    if (this.#isOver && (mishap === 'crash.before' || pace.next() < 0.5)) return never();
    try {
      const answer = await run();
      trace.say(this.name, what);
      return answer;
    } catch (error) {
      trace.say(this.name, `${what}: ${messageOf(error)}`);
      throw error;
    } finally {
      if (mishap === 'crash.after') this.end(`after ${what}`);
      if (!this.#isOver && pace.next() < ANSWERS_LATE) await time.pause(pace.integer(1, WAY_MS));
      if (this.#isOver) await never();
    }
  }
}

/** How long a call is on its way at most, milliseconds, and how many answers are under way for as long. */
const WAY_MS = 6;
const ANSWERS_LATE = 0.3;

/** Each its own: what waits for one that all share would be kept in memory by it for as long as the process runs. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
