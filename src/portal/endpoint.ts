import type { PortalSession } from '../billing/portal/sessions.ts';
import { endpointFor } from '../http/endpoint.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import type { PortalSubject } from '../store/collections.ts';

/** Only the portal and its API receive it. */
export const PORTAL_COOKIE: SessionCookie = { name: 'tideline_portal', path: '/portal' };

/** A change with a session needs this header. */
export const PORTAL_HEADER = 'X-Portal-Request';

/** The caller of the portal: a payer with a session. */
export interface PortalCaller {
  readonly subject: PortalSubject;
}

export const portalEndpoint = endpointFor<PortalCaller>();

/** A caller who may open or end a session of the portal. */
export interface PortalVisitor {
  /** The value of the session cookie; null: none. */
  readonly secret: string | null;
  /** null: none is open. */
  readonly session: PortalSession | null;
}

/** An endpoint of the portal that opens or ends a session. */
export const portalSessionEndpoint = endpointFor<PortalVisitor>();
