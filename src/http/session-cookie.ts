import { z } from 'zod';
import { answer } from './endpoint.ts';

/** A cookie that keeps the session of a browser. */
export interface SessionCookie {
  readonly name: string;
  /** Below the root of the service: only this path and those below it receive it. */
  readonly path: `/${string}`;
}

/** The secret in a request's session cookie; null: none. */
export function secretIn({ name }: SessionCookie, cookies: string | undefined): string | null {
  const found = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{20,100})(?:;|$)`).exec(cookies ?? '');
  return found?.[1] ?? null;
}

/**
 * The header that keeps a session in the cookie. Scripts cannot read it, and other sites cannot send it.
 *
 * @param publicUrl the address of the service for browsers; with https, the cookie needs https too
 */
export function keepingCookie(
  cookie: SessionCookie,
  { secret, ageMs }: { readonly secret: string; readonly ageMs: number },
  publicUrl: string,
): string {
  const { protocol, pathname } = new URL(publicUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const path = `${pathname.replace(/\/+$/, '')}${cookie.path}`;
  const age = Math.max(0, Math.floor(ageMs / 1_000));
  return `${cookie.name}=${secret}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

export const endedSchema = z.strictObject({ ended: z.literal(true) });

/** The answer to the end of a session, which removes the cookie. */
export function ended(cookie: SessionCookie, publicUrl: string) {
  const removal = keepingCookie(cookie, { secret: '', ageMs: 0 }, publicUrl);
  return { ...answer(200, { ended: true as const }), headers: { 'Set-Cookie': removal } };
}
