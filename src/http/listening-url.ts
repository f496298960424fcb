import { isIPv6 } from 'node:net';

/** An address of "every interface" names none: clients on this machine reach it by its loopback. */
const LOOPBACK_OF: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** A host as it is written in the environment, where an IPv6 address may have the brackets that a URL gives it. */
export function hostIn(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The URL at which clients reach a server that listens on `host` (a name or an IP address, without brackets) and `port`,
 * without a slash at its end. Null when no URL can name `host`: a space, or an IPv6 address with a zone.
 */
export function listeningUrl(host: string, port: number): string | null {
  const reached = LOOPBACK_OF[host] ?? host;
  const text = `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
  if (!URL.canParse(text)) return null;
  const { hostname, pathname, search, hash, username } = new URL(text);
  const isHostAlone = hostname !== '' && `${pathname}${search}${hash}${username}` === '/';
  return isHostAlone ? `http://${hostname}:${port}` : null;
}
