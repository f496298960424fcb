import type { RequestHandler } from 'express';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShell } from '../pages/send.ts';

/** `/dashboard`: the shell of the dashboard. An invitation has its token in the fragment, which no server sees. */
export function dashboardPage(deps: HttpDeps, pages: Pages): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const hasDevnet = deps.devnet() !== null;
    await sendShell(response, pages, { name: 'dashboard', title: 'Tideline dashboard', toRoot: '.', hasDevnet });
  };
}
