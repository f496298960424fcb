import type { Readable } from 'node:stream';

/** Keeps the last lines of a stream, for the error message of a dead process. */
export class Tail {
  readonly #linesMax: number;
  #lines: string[] = [];
  #rest = '';

  constructor(stream: Readable, linesMax = 12) {
    this.#linesMax = linesMax;
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => this.#take(String(chunk)));
  }

  /** The last lines, joined by ` | `; empty without output. */
  text(): string {
    return [...this.#lines, this.#rest].filter((line) => line.trim() !== '').join(' | ');
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-2000);
    this.#lines = [...this.#lines, ...lines.map((line) => line.slice(0, 2000))].slice(-this.#linesMax);
  }
}

/** `exit code 3` or `signal SIGKILL`, for messages. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}
