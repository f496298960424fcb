import { MACHINES } from '../../machines/versions.ts';
import { actorKind } from '../../src/engine/journal.ts';
import { replayAll } from '../../src/engine/replay.ts';
import { expectBooks } from '../../stage/books.ts';
import { Stage, type StageOptions } from '../../stage/stage.ts';
import { everythingDelivered } from '../stories/support/expect-events.ts';
import { checkedFetch } from './published.ts';

const WITHIN_MS = 120_000;

/**
 * The stage of a file, or of a `describe`: it is open before the first test, and ends after the last. Requests and
 * answers of its merchants are checked against the published document.
 */
export function useStage(
  options: StageOptions | (() => Promise<StageOptions>) = {},
  prepare?: (stage: Stage) => Promise<void>,
): () => Stage {
  const opened: { stage?: Stage } = {};
  beforeAll(async () => {
    opened.stage = await Stage.open({
      fetch: checkedFetch,
      ...(typeof options === 'function' ? await options() : options),
    });
    await prepare?.(opened.stage);
  }, WITHIN_MS);
  afterAll(() => opened.stage?.stop(), WITHIN_MS);
  return () => {
    if (opened.stage === undefined) throw new Error('the stage is not open');
    return opened.stage;
  };
}

/** The last test of a file: every event was expected, and chain, payments and journals agree. */
export function endsWithSoundBooks(stage: () => Stage): void {
  it('ends without unexpected events, and with payments, transfers and journals that agree', async () => {
    for (const merchant of stage().merchants) {
      await everythingDelivered(merchant);
      merchant.expectNoFurtherEvents();
    }
    await expectBooks(stage());
    await expectSoundJournals(stage());
  });
}

/** Every journal leads to the stored state. */
async function expectSoundJournals(stage: Stage): Promise<void> {
  const store = await stage.store();
  for (const kind of actorKind.options) {
    for await (const { id, problem } of replayAll(store, MACHINES, kind)) {
      expect({ id, problem }).toEqual({ id, problem: null });
    }
  }
}
