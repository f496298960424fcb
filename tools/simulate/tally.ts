import { COUNTED, type Counts, type Outcome } from './outcome.ts';

const YEAR_MS = 365.25 * 86_400_000;

/** The totals of all runs. */
export class Tally {
  readonly #startedAt = performance.now();
  readonly failures: Outcome[] = [];
  readonly #mishaps = new Map<string, number>();
  seeds = 0;
  readonly counts: Counts = {
    ...{ steps: 0, evm: 0, solana: 0, mandated: 0, refunded: 0, quantities: 0, paused: 0, used: 0, credited: 0 },
    ...{ discounted: 0, expired: 0, events: 0, crashes: 0 },
  };
  /** Charges of honest payers beside hostile actors, and by how much those delayed one at most, milliseconds. */
  readonly beside = { charges: 0, delayMs: 0 };
  readonly #acts = new Map<string, number>();
  #simulatedMs = 0;

  add(outcome: Outcome): void {
    this.seeds += 1;
    for (const [name] of COUNTED) this.counts[name] += outcome.counts[name];
    this.#simulatedMs += outcome.simulatedMs;
    for (const [name, count] of Object.entries(outcome.mishaps)) {
      this.#mishaps.set(name, (this.#mishaps.get(name) ?? 0) + count);
    }
    if (outcome.siege !== null) this.#addSiege(outcome.siege);
    if (outcome.violations.length > 0) this.failures.push(outcome);
  }

  #addSiege({ acts, honest, delayMs }: NonNullable<Outcome['siege']>): void {
    this.beside.charges += honest;
    this.beside.delayMs = Math.max(this.beside.delayMs, delayMs);
    for (const [name, count] of Object.entries(acts)) this.#acts.set(name, (this.#acts.get(name) ?? 0) + count);
  }

  get perSecond(): number {
    return this.seeds / ((performance.now() - this.#startedAt) / 1_000);
  }

  get simulatedYears(): number {
    return this.#simulatedMs / YEAR_MS;
  }

  /** Counts by kind, sorted by name. */
  get mishaps(): Listed {
    return sorted(this.#mishaps);
  }

  /** How often hostile actors did what, sorted by name. */
  get acts(): Listed {
    return sorted(this.#acts);
  }
}

type Listed = readonly (readonly [name: string, count: number])[];

function sorted(counts: ReadonlyMap<string, number>): Listed {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
