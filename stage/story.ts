import type { Stage } from './stage.ts';
import type { Attempt } from './stories/thief/attempt.ts';

/** What happens to a merchant and its payers, on dates, with what they expect. For the demo, and a test. */
export interface Story {
  /** The name for `--story`. */
  readonly name: string;
  readonly title: string;
  /** Variables of the service. */
  readonly env?: { readonly [name: string]: string };
  /** The service sends letters: `office` of the stage takes them. */
  readonly hasLetters?: boolean;
  /** A thief plays in it: the service has the clock of the chain, and the story judges all transfers itself. */
  readonly hasThief?: boolean;
  /** Acts out the story. Throws an ExpectationFailed at the first wrong result. `attempts` gets those of a thief. */
  readonly run: (stage: Stage, attempts: Attempt[]) => Promise<void>;
}

/** The events of a subscription until its first charge has settled. */
export const FIRST_CHARGE = ['subscription.created', 'payment.succeeded', 'subscription.active'] as const;
