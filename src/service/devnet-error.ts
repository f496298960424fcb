/**
 * Why the local devnets do not start, in words for the person who started the service: what was wrong, what was expected,
 * where. The service prints the message and exits with 1.
 */
export class DevnetError extends Error {
  override name = 'DevnetError';
}
