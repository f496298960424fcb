import { EndpointQueues } from '../../src/webhooks/endpoint-queues.ts';

function filled(
  options: { total: number; perQueue: number },
  sizes: { [queue: string]: number },
): EndpointQueues<string> {
  const queues = new EndpointQueues<string>(options);
  for (const [name, size] of Object.entries(sizes)) {
    for (let index = 0; index < size; index += 1) queues.add(name, `${name}${index}`, `${name}${index}`);
  }
  return queues;
}

describe('queues', () => {
  it('alternate', () => {
    const queues = filled({ total: 100, perQueue: 10 }, { a: 3, b: 3, c: 1 });
    expect(queues.take(100)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('alternate over several rounds: the one that was served last waits longest', () => {
    const queues = filled({ total: 100, perQueue: 10 }, { a: 3, b: 3, c: 3 });
    expect([queues.take(2), queues.take(2), queues.take(2)]).toEqual([
      ['a0', 'b0'],
      ['c0', 'a1'],
      ['b1', 'c1'],
    ]);
  });

  it('contain no more than perQueue, and continue when one is released', () => {
    const queues = filled({ total: 100, perQueue: 2 }, { a: 4 });
    expect(queues.take(100)).toEqual(['a0', 'a1']);
    expect(queues.take(100)).toEqual([]);
    queues.release('a');
    expect(queues.take(100)).toEqual(['a2']);
    expect(queues.waiting).toBe(1);
  });

  it('leave slots for a new one, however long others hold theirs', () => {
    const sizes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`hangs${index}.`, 1_000]));
    const queues = filled({ total: 512, perQueue: 64 }, sizes);
    while (queues.take(250).length > 0);
    queues.add('healthy', 'x', 'x');
    queues.add('healthy', 'y', 'y');
    expect(queues.take(250)).toEqual(['x', 'y']);
  });

  it('give one queue alone all that it may have', () => {
    expect(filled({ total: 512, perQueue: 64 }, { a: 1_000 }).take(1_000)).toHaveLength(64);
  });

  it('never have more than the total under way', () => {
    const sizes = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`queue${index}.`, 5]));
    const queues = filled({ total: 8, perQueue: 4 }, sizes);
    expect(queues.take(1_000)).toHaveLength(8);
    expect(queues.take(1_000)).toEqual([]);
  });

  it('contain an id once: the later item replaces it', () => {
    const queues = new EndpointQueues<string>({ total: 100, perQueue: 8 });
    queues.add('a', '1', 'old');
    queues.add('a', '2', 'other');
    queues.add('a', '1', 'new');
    expect(queues.waiting).toBe(2);
    expect(queues.take(8)).toEqual(['new', 'other']);
  });

  it('drop waiting items, but not those under way', () => {
    const queues = filled({ total: 2, perQueue: 1 }, { a: 2, b: 2 });
    expect(queues.take(8)).toEqual(['a0', 'b0']);
    queues.clear();
    expect(queues.waiting).toBe(0);
    queues.add('c', 'c0', 'c0');
    expect(queues.take(8)).toEqual([]);
    queues.release('a');
    expect(queues.take(8)).toEqual(['c0']);
  });
});
