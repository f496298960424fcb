import { inspect, isDeepStrictEqual } from 'node:util';
import { ScriptError } from '../lib/script.ts';

/** Something was not as it has to be. */
export class ExpectationFailed extends ScriptError {
  readonly expectation: string;
  /** For people: what was expected and what was found. */
  readonly expected: string;
  readonly found: string;

  constructor(expectation: string, expected: unknown, found: unknown) {
    const [expectedText, foundText] = [textOf(expected), textOf(found)];
    super(`${expectation}\n  expected  ${expectedText}\n  found     ${foundText}`);
    this.expectation = expectation;
    this.expected = expectedText;
    this.found = foundText;
  }
}

/** Everything that has to hold for the demo to end with 0. */
export class Expectations {
  #held = 0;

  /** How many have held so far. */
  get held(): number {
    return this.#held;
  }

  /** Throws an ExpectationFailed unless both are deeply and strictly equal. */
  equal(expectation: string, found: unknown, expected: unknown): void {
    if (!isDeepStrictEqual(found, expected)) throw new ExpectationFailed(expectation, expected, found);
    this.#held += 1;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: 100 });
}
