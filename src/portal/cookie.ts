import type { SessionCookie } from '../http/session-cookie.ts';

/** Only the portal and its API receive it. */
export const PORTAL_COOKIE: SessionCookie = { name: 'tideline_portal', path: '/portal' };

/** A change with a session needs this header. */
export const PORTAL_HEADER = 'X-Portal-Request';
