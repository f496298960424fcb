/** One blow. */
export interface Strike {
  /**
   * `kill`, `pause`: a process of the service, SIGKILL or SIGSTOP and SIGCONT. `point`: one has killed itself at the fault
   * point that it was started with. `database`: its process, killed and started again. `chain`: its node stood still.
   */
  readonly kind: (typeof STRIKE_KINDS)[number];
  /** Which of the processes of the service, from 1; null: none of them. */
  readonly process: number | null;
  /** How many processes of the service there were to be then. */
  readonly of: number;
  /** Since the beginning, milliseconds. */
  readonly at: number;
  /** How long something stood still or was away, milliseconds; the plan of one that was killed at a point; null for a plain kill. */
  readonly detail: number | string | null;
}

const STRIKE_KINDS = ['kill', 'point', 'pause', 'database', 'chain'] as const;

/** Whether a process has died of it. */
export function isKill({ kind }: Pick<Strike, 'kind'>): boolean {
  return kind === 'kill' || kind === 'point' || kind === 'database';
}

/** How many of each kind, for people. */
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
