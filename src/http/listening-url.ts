import { isIPv6 } from 'node:net';

/** An address for "every interface" is not reachable itself: clients on this machine use its loopback. */
const LOOPBACK_OF: { readonly [host: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** A host of the environment without the brackets that an IPv6 address may have. */
export function hostIn(text: string): string {
  return text.replace(/^\[(.*)\]$/, '$1');
}

/**
 * The URL at which clients reach a server that listens on `host` (a name or an IP address, without brackets) and
 * `port`, without a slash at the end. null if no URL can name `host`: a space, or an IPv6 address with a zone.
 */
export function listeningUrl(host: string, port: number): string | null {
  const reached = LOOPBACK_OF[host] ?? host;
  const text = `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
  if (!URL.canParse(text)) return null;
  const { hostname, pathname, search, hash, username } = new URL(text);
  const isHostAlone = hostname !== '' && `${pathname}${search}${hash}${username}` === '/';
  return isHostAlone ? `http://${hostname}:${port}` : null;
}
