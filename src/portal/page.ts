import type { RequestHandler } from 'express';
import { loadingContent } from '../checkout/html.ts';
import { walletAccess } from '../checkout/page.ts';
import type { HttpDeps } from '../http/deps.ts';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShellInLanguage } from '../pages/send.ts';

/** `/portal`: the shell of the portal. A merchant's link has its token in the fragment, which no server sees. */
export function portalPage(deps: HttpDeps, pages: Pages): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    const { shell, connections } = walletAccess(deps);
    await sendShellInLanguage(request, response, pages, (language) => ({
      name: 'portal',
      title: language.say('shell.portal'),
      toRoot: '.',
      ...shell,
      first: { html: loadingContent(language, 'page-narrow stack'), data: null },
      allowed: { connections },
    }));
  };
}
