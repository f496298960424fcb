import { sideBySide } from '../../src/jobs/clock.ts';
import { deferred } from '../engine/support/world.ts';

const TICK_MS = 5;
const touch = async () => undefined;

describe('the passes of one tick', () => {
  it('run once each if all are short', async () => {
    const ran: string[] = [];
    const pass = (name: string) => async () => void ran.push(name);
    await sideBySide([pass('one'), pass('other')], TICK_MS, touch);
    expect(ran).toEqual(['one', 'other']);
  });

  it('go on while another one lasts', async () => {
    const long = deferred<void>();
    let count = 0;
    const short = async () => {
      count += 1;
      if (count === 3) long.resolve();
    };
    await sideBySide([() => long.promise, short], TICK_MS, touch);
    expect(count).toBe(3);
  });

  it('end together, with the first failure, and none keeps another from running', async () => {
    const long = deferred<void>();
    let count = 0;
    const fails = async () => {
      throw new Error('this pass fails');
    };
    const short = async () => {
      count += 1;
      if (count === 2) long.resolve();
    };
    await expect(sideBySide([fails, () => long.promise, short], TICK_MS, touch)).rejects.toThrow('this pass fails');
    expect(count).toBe(2);
  });
});
