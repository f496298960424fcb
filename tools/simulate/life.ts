import { messageOf } from '../../src/errors/message-of.ts';
import type { Random } from '../crashtest/random.ts';
import type { Mishaps } from './mishaps.ts';
import type { VirtualTime } from './time.ts';
import type { Trace } from './trace.ts';

/** The connection between processes and their ports. */
interface Wire {
  /** How many calls are on their way, those of dead processes included. */
  underWay: number;
}

/** The parts that all processes of a run share. */
export interface Surroundings {
  readonly wire: Wire;
  readonly time: VirtualTime;
  readonly pace: Random;
  readonly mishaps: Mishaps;
  readonly trace: Trace;
}

/** One process for its ports. After its death, calls reach nothing and promises never settle: no memory counts. */
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

  /** Ends the process now. */
  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#around.trace.say(this.name, `dies: ${why}`);
    this.#onDeath();
  }

  /** A point between two steps of a function where the process may die. */
  async point(name: string): Promise<void> {
    if (!this.#isOver && this.#around.mishaps.draw('crash.point') !== null) this.end(`at ${name}`);
    if (this.#isOver) await never();
  }

  /**
   * A call of a port, with its delays. The process may die before or after the work; then the promise never settles.
   *
   * @param run does the work when the call arrives
   * @param slowMs additional delay of the call
   */
  async call<T>(what: string, run: () => Promise<T>, slowMs = 0): Promise<T> {
    const { wire, time, pace, mishaps, trace } = this.#around;
    if (this.#isOver) return never();
    const mishap = mishaps.draw('crash.before', 'crash.after');
    if (mishap === 'crash.before') this.end(`before ${what}`);
    wire.underWay += 1;
    await time.pause(slowMs + pace.integer(0, WAY_MS));
    wire.underWay -= 1;
    // Sometimes a call that a dead process had sent still arrives.
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

/** The longest delay of a call or answer, milliseconds, and the share of answers that are delayed. */
const WAY_MS = 6;
const ANSWERS_LATE = 0.3;

/** A new promise each time: one shared promise would keep everything that waits for it in memory. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
