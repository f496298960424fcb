import type { Router } from 'express';
import { findKeyHolders, type KeyHolder, noteKeyUse } from '../billing/administration/merchants.ts';
import { Fault } from '../errors/fault.ts';
import { messageOf } from '../errors/message-of.ts';
import { callEndpoint } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Answer, Caller } from '../http/endpoint.ts';
import { noteMerchant } from '../http/middleware/access-log.ts';
import { authenticate } from '../http/middleware/authenticate.ts';
import { limitFailures, limitMerchant } from '../http/middleware/rate-limit.ts';
import { routerOf } from '../http/router.ts';
import { secretHash } from '../model/secrets.ts';
import { Coalescer } from '../store/coalesce.ts';
import type { WindowCounters } from '../store/windows.ts';
import { inPreferredForm } from './preferred-form.ts';
import { ROUTES, takesMode } from './routes.ts';

/**
 * The merchant API: every row of the table has the same steps. Authentication → mode of the key → limits → checks of
 * the request → the endpoint.
 */
export function apiRouter(deps: HttpDeps, counters: WindowCounters): Router {
  const findCaller = callerFinder(deps);
  return routerOf(ROUTES, async (row, request, response): Promise<Answer> => {
    const now = deps.clock();
    const caller = await authenticate(request.headers['x-api-key'], findCaller, () =>
      limitFailures(counters, request, 'authentication', now),
    );
    noteMerchant(response, caller.merchantId);
    if (!takesMode(row, caller.mode)) throw new Fault('forbidden', `This endpoint takes ${row.mode} keys only`);
    const bucket = `${row.method} ${row.path}`;
    await limitMerchant(counters, { caller, bucket, limits: row.limits, now });
    const answer = await callEndpoint(row.endpoint, { request, response, caller, now }, deps);
    const { csv } = row.endpoint;
    return csv === undefined ? answer : inPreferredForm(request, answer, csv, deps.config.publicUrl);
  });
}

/** Calls that arrive during a lookup of keys share the next one. */
function callerFinder({ store, clock, log }: HttpDeps): (key: string) => Promise<Caller | null> {
  const lookups = new Coalescer<string, Caller | null>({
    run: async (hashes) => {
      const holders = await findKeyHolders(store.records, hashes);
      // No request waits for the note.
      noteKeyUse(store.records, holders, clock()).catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'the use of an API key was not noted; its next use is'),
      );
      return holders.map(callerOf);
    },
    maxSize: LOOKED_UP_MAX,
    concurrency: 1,
  });
  return (key) => lookups.ask(secretHash(key));
}

function callerOf(holder: KeyHolder | null): Caller | null {
  if (holder === null) return null;
  const { merchant, mode } = holder;
  return { merchantId: merchant._id, via: 'key', merchant, mode };
}

/** The most keys in one read. */
const LOOKED_UP_MAX = 200;
