import type { Status, Trigger } from './reference.ts';

/** Every transition of the reference's table that can be reached over HTTP, as `from | trigger | to`. */
export const REACHABLE: readonly string[] = [
  'none | POST /subscriptions | pending',
  'pending | charge settles | active',
  'pending | charge fails | pending',
  'pending | cancel | canceled',
  'pending | cancelAt | canceled',
  'pending | customer deleted | canceled',
  'pending | max_failed_cycles_reached | canceled',
  'pending | grace_expired | canceled',
  'active | charge settles | active',
  'active | charge fails | past_due',
  'active | cancel | canceled',
  'active | cancelAt | canceled',
  'active | customer deleted | canceled',
  'active | max_cycles_reached | canceled',
  'active | max_failed_cycles_reached | canceled',
  'past_due | charge settles | active',
  'past_due | charge fails | past_due',
  'past_due | cancel | canceled',
  'past_due | cancelAt | canceled',
  'past_due | customer deleted | canceled',
  'past_due | max_failed_cycles_reached | canceled',
  'past_due | grace_expired | canceled',
];

/** Every command that a status does not allow, as `status | command | answer`. */
export const REFUSED: readonly string[] = [
  'pending | retry | 409',
  'pending | advance to active | 409',
  'pending | advance to past_due | 409',
  'active | retry | 409',
  'active | resume | 409',
  'past_due | advance to active | 409',
  'canceled | cancel | 409',
  'canceled | cancel at period end | 409',
  'canceled | DELETE | 409',
  'canceled | retry | 409',
  'canceled | resume | 409',
  'canceled | charge | 409',
  'canceled | advance | 409',
  'canceled | advance to active | 409',
  'canceled | advance to past_due | 409',
  'canceled | advance to canceled | 409',
  'canceled | migrate | 400',
  'canceled | DELETE customer | 404',
  'canceled | POST /subscriptions | 404',
  'none | POST /subscriptions | 404',
];

/** The transitions and refusals of the walks. */
export class Coverage {
  readonly #transitions = new Set<string>();
  readonly #refused = new Set<string>();

  transition(from: Status | 'none', trigger: Trigger, to: Status): void {
    this.#transitions.add(`${from} | ${trigger} | ${to}`);
  }

  refusal(status: Status | 'none', command: string, answer: number): void {
    this.#refused.add(`${status} | ${command} | ${answer}`);
  }

  transitions(): string[] {
    return [...this.#transitions].sort();
  }

  refused(): string[] {
    return [...this.#refused].sort();
  }
}
