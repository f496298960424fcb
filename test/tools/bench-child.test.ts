import { startChild } from '../../tools/lib/child.ts';
import { onTestFinished } from '../runner/after.ts';
import type { EndingChild } from './support/ending-child.ts';

function start() {
  const child = startChild<EndingChild>(import.meta.url, './support/ending-child.ts', ['an argument']);
  onTestFinished(() => child.stop());
  return child;
}

describe('a process of a tool', () => {
  it('does what it is asked, and reports an action that fails', async () => {
    const child = start();
    expect(await child.ask('repeat', 2)).toEqual(['an argument', 'an argument']);
    await expect(child.ask('fail')).rejects.toThrow('./support/ending-child.ts: it cannot be done');
    expect(await child.ask('nothing')).toBeUndefined();
  });

  it('that ends instead of answering makes every call fail with its end', async () => {
    const child = start();
    const ended = './support/ending-child.ts ended with 3 where an answer was expected';
    await expect(child.ask('end')).rejects.toThrow(ended);
    await expect(child.ask('end')).rejects.toThrow(ended);
  });
});
