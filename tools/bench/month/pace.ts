import { numberOf } from '../documents.ts';

const WINDOW_MS = 20_000;
const CELLS = 20;
const MINUTE_S = 60;
const HOUR_MIN = 60;

/** How far a run is, for people: a bar, the pace of the last seconds, and the time that is left at this pace. */
export class Pace {
  readonly #count: number;
  #seen: { readonly ms: number; readonly done: number }[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  take(ms: number, done: number): string {
    this.#seen = [...this.#seen.filter((each) => each.ms >= ms - WINDOW_MS), { ms, done }];
    const share = Math.min(1, done / this.#count);
    const full = Math.floor(share * CELLS);
    const bar = `${'█'.repeat(full)}${'░'.repeat(CELLS - full)}`;
    return `${bar} ${numberOf(done)} of ${numberOf(this.#count)} done${this.#speed(ms, done)}`;
  }

  #speed(ms: number, done: number): string {
    const first = this.#seen[0];
    if (first === undefined || done === first.done) return '';
    const perSecond = ((done - first.done) / (ms - first.ms)) * 1_000;
    return `, ${Math.round(perSecond)} a second, ${durationOf((this.#count - done) / perSecond)} left`;
  }
}

/** `41 s`, `12 min`, `1 h 5 min`. */
export function durationOf(seconds: number): string {
  if (seconds < 2 * MINUTE_S) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / MINUTE_S);
  return minutes < HOUR_MIN ? `${minutes} min` : `${Math.floor(minutes / HOUR_MIN)} h ${minutes % HOUR_MIN} min`;
}
