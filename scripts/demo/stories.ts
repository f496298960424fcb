import type { Stage } from './stage.ts';
import { dunning } from './stories/dunning.ts';
import { migrate } from './stories/migrate.ts';
import { subscription } from './stories/subscription.ts';

/** One thing that the demo can tell, as a merchant and a payer live through it. */
export interface Story {
  /** What `--story` takes. */
  readonly name: string;
  readonly title: string;
  /** Acts it out. Throws an ExpectationFailed as soon as something is not as it has to be. */
  readonly run: (stage: Stage) => Promise<StoryResult>;
}

/** What a story leaves behind to be checked against the chain and the webhooks. */
export interface StoryResult {
  /** Every subscription whose payments the ledger adds up. */
  readonly subscriptionIds: readonly string[];
  /** Every webhook event that the story causes, per resource in the order of its `sequence`. */
  readonly events: { readonly [resource: string]: readonly string[] };
}

/** The first one is told when none is asked for. */
export const STORIES: readonly Story[] = [subscription, dunning, migrate];

export function storyNames(): string {
  return STORIES.map(({ name }) => name).join(' or ');
}
