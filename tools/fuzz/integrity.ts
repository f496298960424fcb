import { type Fault, fault } from './fault.ts';

/** Prototypes of all objects: an additional or changed key affects the whole process. */
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

/** Watches the state of the whole process. */
export class Integrity {
  readonly #before = Object.entries(PROTOTYPES).map(([name, object]) => ({ name, object, own: ownOf(object) }));
  readonly #unhandled: string[] = [];
  readonly #note = (error: unknown): void => {
    this.#unhandled.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  };

  constructor() {
    process.on('unhandledRejection', this.#note).on('uncaughtException', this.#note);
  }

  /** The damage since the last call. Changed prototypes are restored. */
  faults(): Fault[] {
    const damaged = this.#before.flatMap(({ name, object, own }) => {
      const added = Reflect.ownKeys(object).filter((key) => !own.has(key));
      for (const key of added) Reflect.deleteProperty(object, key);
      const other = [...own].filter(([key, was]) => !isSame(was, Reflect.getOwnPropertyDescriptor(object, key)));
      for (const [key, was] of other) Reflect.defineProperty(object, key, was);
      return [
        ...added.map((key) => fault('changes no prototype', `${name}.prototype has a new key ${String(key)}`)),
        ...other.map(([key]) => fault('changes no prototype', `${name}.prototype has a changed ${String(key)}`)),
      ];
    });
    const unhandled = this.#unhandled.splice(0).map((what) => fault('causes no unhandled error', what));
    return [...damaged, ...unhandled];
  }

  stop(): void {
    process.off('unhandledRejection', this.#note).off('uncaughtException', this.#note);
  }
}

function ownOf(object: object): ReadonlyMap<PropertyKey, PropertyDescriptor> {
  return new Map(
    Reflect.ownKeys(object).flatMap((key) => {
      const own = Reflect.getOwnPropertyDescriptor(object, key);
      return own === undefined ? [] : [[key, own] as const];
    }),
  );
}

function isSame(was: PropertyDescriptor, is: PropertyDescriptor | undefined): boolean {
  return was.value === is?.value && was.get === is?.get && was.set === is?.set;
}
