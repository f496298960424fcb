import type { SessionCookie } from '../http/session-cookie.ts';

/** Only the dashboard and its API receive it. */
export const DASHBOARD_COOKIE: SessionCookie = { name: 'tideline_dashboard', path: '/dashboard' };

/** A change with a session needs this header. */
export const DASHBOARD_HEADER = 'X-Dashboard-Request';
