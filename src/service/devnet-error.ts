/**
 * The local devnets do not start. The message is for the person who started the service: the fault, the expectation,
 * where. The service prints the message and exits with 1.
 */
export class DevnetError extends Error {
  override name = 'DevnetError';
}
