/** The log of the service: pino, or anything with these methods. No caller passes a secret. */
export interface Log {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}

/** The result of `work`. When it is there, the log says `what` with the milliseconds since this call. */
export async function timed<T>(log: Log, what: string, work: Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work;
  log.info({ ms: Math.round(performance.now() - began) }, what);
  return result;
}
