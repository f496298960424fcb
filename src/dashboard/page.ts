import type { RequestHandler } from 'express';
import { walletAccess } from '../checkout/page.ts';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShell } from '../pages/send.ts';

/** `/dashboard`: the shell of the dashboard. An invitation has its token in the fragment, which no server sees. */
export function dashboardPage(deps: HttpDeps, pages: Pages): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const { shell, connections } = walletAccess(deps);
    const page = { name: 'dashboard', title: 'Tideline dashboard', toRoot: '.' } as const;
    await sendShell(response, pages, { ...page, ...shell, allowed: { connections } });
  };
}
