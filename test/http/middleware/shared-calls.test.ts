import { SharedCalls } from '../../../src/http/shared-calls.ts';

/** A call that ends when it is told to. */
function gate<T>() {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

describe('SharedCalls', () => {
  it('gives nobody the result of a call that began before they came', async () => {
    const calls = new SharedCalls<string>();
    const gates = [gate<string>(), gate<string>()];
    const sizes: number[] = [];
    const run = (callers: number) => {
      sizes.push(callers);
      return gates[sizes.length - 1]?.passed ?? Promise.reject(new Error('too many calls'));
    };
    const first = calls.join('k', run);
    const others = [calls.join('k', run), calls.join('k', run)];
    gates[0]?.open('old');
    expect(await first).toEqual({ result: 'old', place: 1, of: 1 });
    gates[1]?.open('new');
    expect(await Promise.all(others)).toEqual([
      { result: 'new', place: 1, of: 2 },
      { result: 'new', place: 2, of: 2 },
    ]);
    expect(sizes).toEqual([1, 2]);
  });

  it('keeps keys apart, and starts afresh when nobody waits', async () => {
    const calls = new SharedCalls<number>();
    const run = async (callers: number) => callers;
    const both = await Promise.all([calls.join('a', run), calls.join('b', run)]);
    expect(both.map(({ of }) => of)).toEqual([1, 1]);
    expect((await calls.join('a', run)).of).toBe(1);
  });

  it('fails those of the call that failed, and no others', async () => {
    const calls = new SharedCalls<string>();
    let call = 0;
    const run = async () => {
      call += 1;
      if (call === 1) throw new Error('down');
      return 'up';
    };
    const [first, second] = await Promise.allSettled([calls.join('k', run), calls.join('k', run)]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'down' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { result: 'up' } });
  });
});
