import { createHash } from 'node:crypto';

/** How many lines are kept if nobody watches the run. */
const KEPT = 60;

/** The log of a run. Two runs of one seed must agree to the last byte. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #now: () => number;
  readonly #show: ((line: string) => void) | null;
  readonly #last: (readonly [ms: number, line: string])[] = [];
  readonly #start: number;
  #isOver = false;

  /** @param show gets every line; null: only the last lines are kept */
  constructor(now: () => number, show: ((line: string) => void) | null) {
    this.#now = now;
    this.#show = show;
    this.#start = now();
  }

  /** Does nothing after `end`. */
  say(who: string, what: string): void {
    if (this.#isOver) return;
    const ms = this.#now() - this.#start;
    const line = `${who} ${what}`;
    this.#hash.update(`${ms} ${line}\n`);
    if (this.#show) this.#show(`${sinceText(ms)} ${line}`);
    this.#last.push([ms, line]);
    if (this.#last.length > KEPT * 2) this.#last.splice(0, KEPT);
  }

  get last(): readonly string[] {
    return this.#last.slice(-KEPT).map(([ms, line]) => `${sinceText(ms)} ${line}`);
  }

  /** SHA-256 of all lines, hex. Ends the trace. */
  end(): string {
    this.#isOver = true;
    return this.#hash.digest('hex');
  }
}

/** Days and the time of day since the start, as `+003 04:05:06.789`. */
function sinceText(ms: number): string {
  const days = String(Math.floor(ms / 86_400_000)).padStart(3, '0');
  return `+${days} ${new Date(ms % 86_400_000).toISOString().slice(11, 23)}`;
}
