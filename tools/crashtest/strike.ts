/** One strike. */
export interface Strike {
  /**
   * `kill`: SIGKILL to a service process. `pause`: SIGSTOP and SIGCONT to one. `point`: a service process killed itself
   * at its fault point. `database`: the database was killed and started again. `chain`: the chain's node was paused.
   */
  readonly kind: (typeof STRIKE_KINDS)[number];
  /** The number of the service process, from 1; null: none. */
  readonly process: number | null;
  /** The wanted number of service processes at that moment. */
  readonly of: number;
  /** Milliseconds since the start. */
  readonly at: number;
  /** The duration of a pause or outage, milliseconds; for `point` the plan; null for `kill`. */
  readonly detail: number | string | null;
}

const STRIKE_KINDS = ['kill', 'point', 'pause', 'database', 'chain'] as const;

/** True if the strike killed a process. */
export function isKill({ kind }: Pick<Strike, 'kind'>): boolean {
  return kind === 'kill' || kind === 'point' || kind === 'database';
}

/** The counts of all kinds, as text for people. */
export function tally(strikes: readonly Strike[]): string {
  return STRIKE_KINDS.map((kind) => `${strikes.filter((each) => each.kind === kind).length} ${WORDS[kind]}`).join(', ');
}

const WORDS: Readonly<Record<Strike['kind'], string>> = {
  kill: 'killed',
  point: 'killed at a point',
  pause: 'paused',
  database: 'of the database',
  chain: 'of the chain',
};
