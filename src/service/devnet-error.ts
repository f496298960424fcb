/**
 * The local devnets do not start. The message is for the person who started the service, with the fault, the
 * expectation and the file or folder. The service prints it and exits with 1.
 */
export class DevnetError extends Error {
  override name = 'DevnetError';
}
