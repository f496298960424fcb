import { dunning } from './stories/dunning.ts';
import { migrate } from './stories/migrate.ts';
import { subscription } from './stories/subscription.ts';
import { thief } from './stories/thief.ts';
import type { Story } from './story.ts';

/** The first one is the default. */
export const STORIES: readonly Story[] = [subscription, dunning, migrate, thief];

export function storyNames(): string {
  return STORIES.map(({ name }) => name).join(' or ');
}
