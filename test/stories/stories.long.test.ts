import { Stage } from '../../stage/stage.ts';
import { perform, type Shown, STORIES, STORIES_BEGIN } from '../../stage/stories.ts';
import { endsWithSoundBooks, useStage } from '../support/stage.ts';

/** The stories that `npm run demo` shows. */
const stage = useStage({ on: STORIES_BEGIN, hasLetters: true, env: { TZ: 'Asia/Kolkata' } });

describe('the story', () => {
  const told = STORIES.filter(({ hasThief = false }) => !hasThief);

  it.concurrent.each(told)('$name: $title', async ({ run }) => run(stage(), []));

  endsWithSoundBooks(stage);
});

describe('the story with a thief', () => {
  const [thief] = STORIES.filter(({ hasThief = false }) => hasThief);
  let shown: Shown;

  beforeAll(async () => {
    if (thief === undefined) throw new Error('no story has a thief');
    const own = await Stage.open({ env: thief.env ?? {} });
    shown = await perform(thief, own).finally(() => own.stop());
  }, 240_000);

  const answersOf = (victim: string) => shown.attempts.flatMap((each) => (each.victim === victim ? [each.answer] : []));

  it('lets nobody take more than a mandate allows, whatever was stolen', () => {
    expect(answersOf('Ada')).toEqual([
      'refused, AbovePerCharge',
      'refused, NotPayee',
      'refused, BadSignature',
      'refused, AboveFee',
      'refused, BadSignature',
      'refused, BadSignature',
      'refused, BadSignature',
      'refused, Seen',
      'refused, NotPayee',
      'refused, PullFailed: insufficient allowance',
      'refused, NotRouter',
      'charged',
      'settled',
      'failed, insufficient_allowance',
      'settled',
      'settled',
      'settled',
      'failed, pull_reverted: above_per_charge',
      'failed, pull_reverted: not_payee',
      'refused, Revoked',
    ]);
  });

  it('lets nobody charge outside of the rhythm of a live mandate', () => {
    expect(answersOf('Cleo')).toEqual([
      'charged',
      'refused, AheadOfRhythm',
      'refused, TooEarly',
      'refused, TooLate',
      'charged',
      'refused, UsedUp',
      'charged',
      'refused, AbovePer30Days',
      'charged',
      'refused, Superseded',
    ]);
  });
});
