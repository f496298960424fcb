import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chancesOf } from '../../../tools/simulate/chance.ts';
import { Life } from '../../../tools/simulate/life.ts';
import { Mishaps } from '../../../tools/simulate/mishaps.ts';
import { VirtualTime } from '../../../tools/simulate/time.ts';
import { Trace } from '../../../tools/simulate/trace.ts';

function deadLife(): Life {
  const { pace, mishaps } = chancesOf(1);
  const time = new VirtualTime(new Date(0), () => 0);
  const around = { wire: { underWay: 0 }, time, pace, mishaps: new Mishaps(mishaps), trace: new Trace(() => 0, null) };
  const life = new Life('w1', around, () => undefined);
  life.end('for the test');
  return life;
}

/** Waits forever, with an object in its closure. */
function waiting(wait: () => Promise<unknown>): WeakRef<object> {
  const held = { what: 'a whole world' };
  void wait().then(() => expect(held).toBeNull());
  return new WeakRef(held);
}

async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc');
  await turn();
  runInNewContext('gc')();
}

describe('a dead process of a simulation', () => {
  it('keeps nothing in memory through its pending waits', async () => {
    const life = deadLife();
    const [called, pointed] = [waiting(() => life.call('a port', async () => 1)), waiting(() => life.point('a point'))];
    await collected();
    expect([called.deref(), pointed.deref()]).toEqual([undefined, undefined]);
  });
});
