/** Somebody wants the demo to end before it has. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(`ended by ${signal}`);
    this.exitCode = exitCode;
  }
}

export interface Interruption {
  /** Aborted with an Interrupted as its reason. */
  readonly signal: AbortSignal;
  /** Resolves with it. */
  readonly asked: Promise<Interrupted>;
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** From now on Ctrl-C and its like do not end this process: whoever asked for this does, and tidies up first. */
export function listenForSignals(): Interruption {
  const controller = new AbortController();
  const asked = new Promise<Interrupted>((resolve) => {
    for (const [name, exitCode] of Object.entries(EXIT_CODES)) {
      process.on(name, () => {
        const interrupted = new Interrupted(name, exitCode);
        controller.abort(interrupted);
        resolve(interrupted);
      });
    }
  });
  return { signal: controller.signal, asked };
}
