import fc from 'fast-check';
import { DuplicateKey } from '../../src/store/errors.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { anyOperation, everything, type Names, namesOf, type Operation } from './support/operations.ts';

describe('the two forms of the store', () => {
  let mongo: LedgerStore;
  const memory = openMemoryStore();
  let runs = 0;

  beforeAll(async () => {
    mongo = await (await startTestDevnet()).openStore('both');
  });

  it('answer any sequence of operations alike, and store the same', async () => {
    const commands = fc.commands([anyOperation.map((operation) => new OnBoth(operation))], {
      size: '+1',
      maxCommands: 60,
    });
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        const names = namesOf(runs++);
        await fc.asyncModelRun(() => ({ model: { memory, names }, real: mongo }), sequence);
        expect(await everything(mongo, names)).toEqual(await everything(memory, names));
      }),
      { seed: 20261120, numRuns: 50 },
    );
    expect(runs).toBeGreaterThanOrEqual(50);
  });
});

interface Model {
  readonly memory: LedgerStore;
  readonly names: Names;
}

/** Runs the operation on the memory form, then on the real one: the answers must be equal. */
class OnBoth implements fc.AsyncCommand<Model, LedgerStore> {
  readonly #operation: Operation;

  constructor(operation: Operation) {
    this.#operation = operation;
  }

  check(): boolean {
    return true;
  }

  async run({ memory, names }: Model, mongo: LedgerStore): Promise<void> {
    const expected = await answerOf(this.#operation.run(memory, names));
    expect(await answerOf(this.#operation.run(mongo, names))).toEqual(expected);
  }

  toString(): string {
    return this.#operation.text;
  }
}

/** The answer; of a refusal only the name of the index. */
async function answerOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await asked };
  } catch (error) {
    return { refused: error instanceof DuplicateKey ? error.index : true };
  }
}
