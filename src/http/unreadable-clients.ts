import { UNREADABLE_FACTOR } from './middleware/client-address.ts';

const LASTS_MS = 10 * 60_000;

const SENTENCE = `the proxy's X-Forwarded-For has no readable address of the client: all such clients share \
${UNREADABLE_FACTOR} times the limits of one, and those who pay by transfer have none per day`;

export type UnreadableClients = ReturnType<typeof unreadableClients>;

/**
 * Notes that this process gets requests whose client the proxies do not name. `trouble` says so, for `/health`; null if
 * none has come within the last ten minutes. `now`: milliseconds of a monotonic clock.
 */
export function unreadableClients(now: () => number = () => performance.now()) {
  let seenAt = Number.NEGATIVE_INFINITY;
  const note = () => {
    seenAt = now();
  };
  return { note, trouble: () => (now() - seenAt <= LASTS_MS ? SENTENCE : null) };
}
