import { each } from '../../src/billing/actors/effect-results.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';

describe('work on each of several effects', () => {
  it('fails only the effect that throws, but none if the database does not answer', async () => {
    const wrong = new Error('not today');
    const results = await each(['sound', 'wrong', 'away'], async (item) => {
      if (item === 'wrong') throw wrong;
      if (item === 'away') throw new StoreUnavailable('no answer');
      return 'done';
    });
    expect(results).toEqual(['done', { failed: wrong }, { held: 'no answer' }]);
  });
});
