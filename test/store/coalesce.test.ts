import { Coalescer } from '../../src/store/coalesce.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';

/** A database whose answers the test gives, batch by batch. */
class ScriptedDatabase {
  readonly batches: {
    readonly asks: readonly number[];
    readonly again: boolean;
    readonly answer: () => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  #arrived: () => void = () => {};

  readonly run = (asks: readonly number[], _: unknown, again: boolean): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      this.batches.push({ asks, again, answer: () => resolve(asks.map((ask) => `answer ${ask}`)), fail: reject });
      this.#arrived();
    });

  async arrival(count: number): Promise<void> {
    while (this.batches.length < count) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    }
  }

  asks(): (readonly number[])[] {
    return this.batches.map((batch) => batch.asks);
  }
}

function coalescer(database: ScriptedDatabase, concurrency = 1, maxSize = 10) {
  return new Coalescer<number, string>({ run: database.run, sizeOf: (ask) => ask, maxSize, concurrency });
}

describe('natural batching', () => {
  it('sends one call at once, and the calls that arrive meanwhile together', async () => {
    const database = new ScriptedDatabase();
    const calls = coalescer(database);
    const first = calls.ask(1);
    await database.arrival(1);
    const others = [calls.ask(2), calls.ask(3)];
    database.batches[0]?.answer();
    expect(await first).toBe('answer 1');
    await database.arrival(2);
    expect(database.asks()).toEqual([[1], [2, 3]]);
    database.batches[1]?.answer();
    expect(await Promise.all(others)).toEqual(['answer 2', 'answer 3']);
    const last = calls.ask(4);
    await database.arrival(3);
    database.batches[2]?.answer();
    expect(await last).toBe('answer 4');
  });

  it('limits the batches at a time, and the size of a batch unless one call is larger', async () => {
    const database = new ScriptedDatabase();
    const calls = coalescer(database, 2);
    const answers = Promise.all([4, 6, 1, 9, 50, 2].map((ask) => calls.ask(ask)));
    await database.arrival(2);
    expect(database.asks()).toEqual([
      [4, 6],
      [1, 9],
    ]);
    database.batches[0]?.answer();
    await database.arrival(3);
    database.batches[1]?.answer();
    await database.arrival(4);
    expect(database.asks().slice(2)).toEqual([[50], [2]]);
    database.batches[2]?.answer();
    database.batches[3]?.answer();
    expect(await answers).toEqual([4, 6, 1, 9, 50, 2].map((ask) => `answer ${ask}`));
  });

  it('rejects only the call that makes its batch fail, and warns that the others may have been done', async () => {
    const database = new ScriptedDatabase();
    const calls = coalescer(database);
    const ends = Promise.allSettled([calls.ask(1), calls.ask(2), calls.ask(3)]);
    await database.arrival(1);
    database.batches[0]?.fail(new Error('2 is too large'));
    await database.arrival(4);
    expect(database.batches.map(({ asks, again }) => [asks, again])).toEqual([
      [[1, 2, 3], false],
      [[1], true],
      [[2], true],
      [[3], true],
    ]);
    database.batches[1]?.answer();
    database.batches[2]?.fail(new Error('2 is too large'));
    database.batches[3]?.answer();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('rejects all if the database does not answer, and continues with the next', async () => {
    const database = new ScriptedDatabase();
    const calls = coalescer(database);
    const ends = Promise.allSettled([calls.ask(1), calls.ask(2)]);
    await database.arrival(1);
    const next = calls.ask(3);
    database.batches[0]?.fail(new StoreUnavailable('gone'));
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await database.arrival(2);
    database.batches[1]?.answer();
    expect(await next).toBe('answer 3');
  });
});

describe('calls with keys', () => {
  it('wait only for batches of their own key', async () => {
    const database = new ScriptedDatabase();
    const calls = new Coalescer<number, string, string>({ run: database.run, concurrency: 1 });
    const answers = Promise.all([calls.ask(1, 'a'), calls.ask(2, 'b'), calls.ask(3, 'a')]);
    await database.arrival(2);
    expect(database.asks()).toEqual([[1, 3], [2]]);
    const later = [calls.ask(4, 'a'), calls.ask(5, 'b')];
    database.batches[1]?.answer();
    await database.arrival(3);
    expect(database.asks()).toEqual([[1, 3], [2], [5]]);
    database.batches[0]?.answer();
    await database.arrival(4);
    database.batches[2]?.answer();
    database.batches[3]?.answer();
    expect(await answers).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(await Promise.all(later)).toEqual(['answer 4', 'answer 5']);
  });

  it('fail together if errors are shared, and the next batch runs', async () => {
    const database = new ScriptedDatabase();
    const calls = new Coalescer<number, string>({ run: database.run, concurrency: 1, sharesErrors: true });
    const ends = Promise.allSettled([calls.ask(1), calls.ask(2)]);
    await database.arrival(1);
    const next = calls.ask(3);
    database.batches[0]?.fail(new Error('the node does not answer'));
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await database.arrival(2);
    expect(database.asks()).toEqual([[1, 2], [3]]);
    database.batches[1]?.answer();
    expect(await next).toBe('answer 3');
  });
});
