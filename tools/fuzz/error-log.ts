interface Entry {
  readonly requestId: string | null;
  readonly text: string;
}

/** The log of the service under test: what it says of errors, by the request that they belong to. */
export class ErrorLog {
  readonly #entries: Entry[] = [];

  readonly debug = (): void => undefined;
  readonly info = (): void => undefined;
  readonly warn = (): void => undefined;
  readonly error = (fields: object, message: string): void => {
    const requestId: unknown = Reflect.get(fields, 'requestId');
    this.#entries.push({
      requestId: typeof requestId === 'string' ? requestId : null,
      text: `${message}: ${causeOf(fields)}`,
    });
  };

  /** What went wrong in a request; null: nothing that was logged. */
  ofRequest(id: string): string | null {
    return this.#take((entry) => entry.requestId === id)[0] ?? null;
  }

  /** What went wrong beside all requests, since the last question. */
  ofNoRequest(): string[] {
    return this.#take((entry) => entry.requestId === null);
  }

  #take(isMeant: (entry: Entry) => boolean): string[] {
    const taken = this.#entries.filter(isMeant);
    for (const entry of taken) this.#entries.splice(this.#entries.indexOf(entry), 1);
    return taken.map(({ text }) => text);
  }
}

function causeOf(fields: object): string {
  const error: unknown = Reflect.get(fields, 'err');
  if (!(error instanceof Error)) return JSON.stringify(fields);
  const { cause } = error;
  const own = error.stack ?? error.message;
  return cause instanceof Error ? `${own}\ncaused by ${cause.stack ?? cause.message}` : own;
}
