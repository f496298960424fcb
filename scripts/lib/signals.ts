/** A user has interrupted the demo. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: string, exitCode: number) {
    super(`ended by ${signal}`);
    this.exitCode = exitCode;
  }
}

export interface Interruption {
  /** Aborts with an Interrupted as its reason. */
  readonly signal: AbortSignal;
  /** Resolves with the Interrupted. */
  readonly asked: Promise<Interrupted>;
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Catches Ctrl-C and similar signals from now on. The caller must end the process after it has cleaned up. */
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
