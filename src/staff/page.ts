import type { RequestHandler } from 'express';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import { sendShell } from '../pages/send.ts';

/** `/staff`: the shell of the staff console. It shows nothing by itself: everything in it is the staff API's. */
export function staffPage({ pages }: Pick<HttpDeps, 'pages'>): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    await sendShell(response, pages, { name: 'staff', title: 'Tideline staff', toRoot: '.' });
  };
}
