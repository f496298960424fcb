import { z } from 'zod';
import { startChild } from '../../tools/bench/child.ts';

describe('a process of a benchmark', () => {
  it('that ends instead of answering makes every call fail with its end', async () => {
    const child = startChild(import.meta.url, './support/ending-child.ts');
    const ended = './support/ending-child.ts ended with 3 where an answer was expected';
    await expect(child.ask({}, z.unknown())).rejects.toThrow(ended);
    await expect(child.ask({}, z.unknown())).rejects.toThrow(ended);
    await child.stop();
  });
});
