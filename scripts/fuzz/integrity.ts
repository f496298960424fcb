import { type Fault, fault } from './fault.ts';

/** What every object inherits from: an own key more, or another value, changes the whole process. */
const PROTOTYPES: Readonly<Record<string, object>> = {
  Object: Object.prototype,
  Array: Array.prototype,
  Function: Function.prototype,
  String: String.prototype,
  Number: Number.prototype,
  Boolean: Boolean.prototype,
  Map: Map.prototype,
  Promise: Promise.prototype,
  Date: Date.prototype,
  Error: Error.prototype,
};

/** Watches over what belongs to the whole process. */
export class Integrity {
  readonly #before = Object.entries(PROTOTYPES).map(([name, object]) => ({ name, object, keys: keysOf(object) }));
  readonly #unhandled: string[] = [];
  readonly #note = (error: unknown): void => {
    this.#unhandled.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  constructor() {
    process.on('unhandledRejection', this.#note).on('uncaughtException', this.#note);
  }

  /** What has been damaged since the last question. A prototype that was changed is put right again. */
  faults(): Fault[] {
    const damaged = this.#before.flatMap(({ name, object, keys }) => {
      const added = keysOf(object).filter((key) => !keys.includes(key));
      for (const key of added) Reflect.deleteProperty(object, key);
      return added.map((key) => fault('leaves prototypes alone', `${name}.prototype has got ${String(key)}`));
    });
    const unhandled = this.#unhandled.splice(0).map((what) => fault('leaves nothing unhandled', what));
    return [...damaged, ...unhandled];
  }

  stop(): void {
    process.off('unhandledRejection', this.#note).off('uncaughtException', this.#note);
  }
}

function keysOf(object: object): PropertyKey[] {
  return Reflect.ownKeys(object);
}
