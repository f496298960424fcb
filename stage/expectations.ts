import { inspect, isDeepStrictEqual } from 'node:util';
import { ScriptError } from '../scripts/lib/script.ts';

/** An expectation did not hold. */
export class ExpectationFailed extends ScriptError {
  readonly expectation: string;
  /** The expected and the found value, as text for people. */
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

/** The expectations of a story, counted. */
export class Expectations {
  #held = 0;

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
