import { expectBooks, type LedgerRow } from './books.ts';
import type { Stage } from './stage.ts';
import { business } from './stories/business.ts';
import { dunning } from './stories/dunning.ts';
import { migrate } from './stories/migrate.ts';
import { siege } from './stories/siege.ts';
import { subscription } from './stories/subscription.ts';
import type { Attempt } from './stories/thief/attempt.ts';
import { thief } from './stories/thief.ts';
import type { Story } from './story.ts';

/** The date on which stories without a thief begin. */
export const STORIES_BEGIN = '2028-01-01';

/** What a story has shown. */
export interface Shown {
  readonly ledger: readonly LedgerRow[];
  readonly attempts: readonly Attempt[];
}

/** The first one is the default. */
export const STORIES: readonly Story[] = [subscription, dunning, migrate, business, thief, siege];

export function storyNames(): string {
  return STORIES.map(({ name }) => name).join(' or ');
}

/** Acts out a story on a stage of its own, and compares its payments with the chain. */
export async function perform({ title, hasThief = false, run }: Story, stage: Stage): Promise<Shown> {
  stage.narrator.chapter(title);
  const attempts: Attempt[] = [];
  await run(stage, attempts);
  const health = await fetch(`${stage.url}/health`);
  const { status } = Object(await health.json());
  stage.expect.equal('The service is healthy', { http: health.status, status }, { http: 200, status: 'ok' });
  for (const merchant of stage.merchants) merchant.expectNoOtherEvents();
  if (hasThief) return { ledger: [], attempts };
  const ledger = await expectBooks(stage);
  return { ledger, attempts };
}
