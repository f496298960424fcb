interface Entry {
  readonly requestId: string | null;
  readonly text: string;
}

/** Collects the errors in the log of the tested service, by request. */
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

  /** The logged error of a request; null: none was logged. */
  ofRequest(id: string): string | null {
    return this.#take((entry) => entry.requestId === id)[0] ?? null;
  }

  /** Errors outside of any request since the last call. */
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
