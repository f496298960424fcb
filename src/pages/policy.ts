/** Permissions of a page beyond the files of this origin; origins as `https://host:port`. */
export interface Allowed {
  readonly images?: readonly string[];
  readonly connections?: readonly string[];
  /** The origin that may frame the page; null: none. */
  readonly framedBy?: string | null;
  /** True: a form may be sent to this origin. */
  readonly hasForm?: boolean;
}

/** The Content-Security-Policy of every page: nothing inline, and no host except the named ones. */
export function contentSecurityPolicy({
  images = [],
  connections = [],
  framedBy = null,
  hasForm = false,
}: Allowed = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...images].join(' '),
    ["connect-src 'self'", ...connections].join(' '),
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    `frame-ancestors ${framedBy ?? "'none'"}`,
  ].join('; ');
}

/**
 * URLs allow more characters in a host than names have: in a policy, `;` and `,` separate directives and `*` is every
 * host.
 */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:]+\])$/;

/** The origin of a web address, safe in a policy; null for anything else. */
export function webOrigin(address: string | null | undefined): string | null {
  return originOf(address, ['https:', 'http:']);
}

/** The same of a WebSocket's address. */
export function socketOrigin(address: string): string | null {
  return originOf(address, ['wss:', 'ws:']);
}

function originOf(address: string | null | undefined, schemes: readonly string[]): string | null {
  if (!address || !URL.canParse(address)) return null;
  const { protocol, hostname, origin } = new URL(address);
  return schemes.includes(protocol) && HOST.test(hostname) ? origin : null;
}
