import type { Stage } from './stage.ts';
import type { Attempt } from './stories/thief/loot.ts';

/** A story of the demo, seen by a merchant and a payer. */
export interface Story {
  /** The name for `--story`. */
  readonly name: string;
  readonly title: string;
  /** Seconds for which an announced payee waits on the router of the story; absent: 0. */
  readonly payeeDelay?: number;
  /** Acts out the story. Throws an ExpectationFailed at the first wrong result. */
  readonly run: (stage: Stage) => Promise<StoryResult>;
}

/** The results of a story, to be compared with the chain and the webhooks. */
export interface StoryResult {
  /** The subscriptions whose payments the ledger sums; null: the story has judged the transfers itself. */
  readonly subscriptionIds: readonly string[] | null;
  /** What a thief has tried; absent: there is none. */
  readonly attempts?: readonly Attempt[];
  /** The story's webhook events by resource, in the order of `sequence`. */
  readonly events: { readonly [resource: string]: readonly string[] };
}
