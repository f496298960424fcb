import { Lanes } from '../../src/webhooks/lanes.ts';

function filled(options: { total: number; perLane: number }, sizes: { [lane: string]: number }): Lanes<string> {
  const lanes = new Lanes<string>(options);
  for (const [name, size] of Object.entries(sizes)) {
    for (let index = 0; index < size; index += 1) lanes.add(name, `${name}${index}`, `${name}${index}`);
  }
  return lanes;
}

describe('lanes', () => {
  it('take turns', () => {
    const lanes = filled({ total: 100, perLane: 10 }, { a: 3, b: 3, c: 1 });
    expect(lanes.take(100)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2', 'b2']);
  });

  it('take turns over several rounds: who was served last waits longest', () => {
    const lanes = filled({ total: 100, perLane: 10 }, { a: 3, b: 3, c: 3 });
    expect([lanes.take(2), lanes.take(2), lanes.take(2)]).toEqual([
      ['a0', 'b0'],
      ['c0', 'a1'],
      ['b1', 'c1'],
    ]);
  });

  it('hold no more than perLane, and go on when one is released', () => {
    const lanes = filled({ total: 100, perLane: 2 }, { a: 4 });
    expect(lanes.take(100)).toEqual(['a0', 'a1']);
    expect(lanes.take(100)).toEqual([]);
    lanes.release('a');
    expect(lanes.take(100)).toEqual(['a2']);
    expect(lanes.waiting).toBe(1);
  });

  it('leave slots for one that comes, however many others hold theirs for long', () => {
    const sizes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`hangs${index}.`, 1_000]));
    const lanes = filled({ total: 512, perLane: 64 }, sizes);
    while (lanes.take(250).length > 0);
    lanes.add('healthy', 'x', 'x');
    lanes.add('healthy', 'y', 'y');
    expect(lanes.take(250)).toEqual(['x', 'y']);
  });

  it('give one lane alone as much as it may have', () => {
    expect(filled({ total: 512, perLane: 64 }, { a: 1_000 }).take(1_000)).toHaveLength(64);
  });

  it('never have more than the total under way', () => {
    const sizes = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`lane${index}.`, 5]));
    const lanes = filled({ total: 8, perLane: 4 }, sizes);
    expect(lanes.take(1_000)).toHaveLength(8);
    expect(lanes.take(1_000)).toEqual([]);
  });

  it('hold an id once: the later item takes its place', () => {
    const lanes = new Lanes<string>({ total: 100, perLane: 8 });
    lanes.add('a', '1', 'old');
    lanes.add('a', '2', 'other');
    lanes.add('a', '1', 'new');
    expect(lanes.waiting).toBe(2);
    expect(lanes.take(8)).toEqual(['new', 'other']);
  });

  it('forget what waits, and still know what is under way', () => {
    const lanes = filled({ total: 2, perLane: 1 }, { a: 2, b: 2 });
    expect(lanes.take(8)).toEqual(['a0', 'b0']);
    lanes.clear();
    expect(lanes.waiting).toBe(0);
    lanes.add('c', 'c0', 'c0');
    expect(lanes.take(8)).toEqual([]);
    lanes.release('a');
    expect(lanes.take(8)).toEqual(['c0']);
  });
});
