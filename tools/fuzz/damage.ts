import { assertNoPoisoning, restoreGlobals } from '@fast-check/poisoning';
import { messageOf } from '../../src/errors/message-of.ts';

interface Entry {
  readonly requestId: string | null;
  readonly text: string;
}

/** Collects the errors in the log of the tested service, by request, and errors that nothing caught. */
export class ErrorLog {
  #entries: readonly Entry[] = [];

  readonly debug = (): void => undefined;
  readonly info = (): void => undefined;
  readonly warn = (): void => undefined;
  readonly error = (fields: object, message: string): void => {
    const requestId: unknown = Reflect.get(fields, 'requestId');
    const text = `the log says: ${message}: ${causeOf(Reflect.get(fields, 'err')) ?? JSON.stringify(fields)}`;
    this.#note({ requestId: typeof requestId === 'string' ? requestId : null, text });
  };

  /** Notes what nothing in this process catches until the returned function is called. */
  watchProcess(): () => void {
    const note = (error: unknown): void => this.#note({ requestId: null, text: causeOf(error) ?? String(error) });
    process.on('unhandledRejection', note).on('uncaughtException', note);
    return () => void process.off('unhandledRejection', note).off('uncaughtException', note);
  }

  /** Takes the errors of a request; `id` null: those of none. */
  take(id: string | null): string[] {
    const taken = this.#entries.filter(({ requestId }) => requestId === id);
    this.#entries = this.#entries.filter((entry) => !taken.includes(entry));
    return taken.map(({ text }) => text);
  }

  #note(entry: Entry): void {
    this.#entries = [...this.#entries, entry];
  }
}

function causeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { cause } = error;
  const own = error.stack ?? error.message;
  return cause instanceof Error ? `${own}\ncaused by ${cause.stack ?? cause.message}` : own;
}

/** Prototypes of all objects: an additional, changed or missing key affects the whole process. */
const PROTOTYPES = {
  ignoredRootRegex: /^(?!(Object|Array|Function|String|Number|Boolean|Map|Promise|Date|Error)$)/,
};

/** The change of a prototype since the start of the process; null: none. It is undone. */
export function changedPrototype(): string | null {
  try {
    assertNoPoisoning(PROTOTYPES);
    return null;
  } catch (error) {
    restoreGlobals(PROTOTYPES);
    return messageOf(error);
  }
}
