/** The log of the service: pino, or anything with these methods. No caller passes a secret. */
export interface Log {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}
