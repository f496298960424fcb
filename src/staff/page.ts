import type { RequestHandler } from 'express';
import { methodOf } from '../http/router.ts';
import type { Pages } from '../pages/pages.ts';
import { sendShell } from '../pages/send.ts';

/** `/staff`: the shell of the staff console. All its data comes from the staff API. */
export function staffPage(pages: Pages): RequestHandler {
  return async (request, response, next) => {
    if (methodOf(request) !== 'GET') return next();
    await sendShell(response, pages, { name: 'staff', title: 'Tideline staff', toRoot: '.' });
  };
}
