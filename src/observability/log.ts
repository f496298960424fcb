/** What the service logs to: pino, or anything that takes an object first. Nothing secret is ever handed to it. */
export interface Log {
  debug(detail: object, message: string): void;
  info(detail: object, message: string): void;
  warn(detail: object, message: string): void;
  error(detail: object, message: string): void;
}
