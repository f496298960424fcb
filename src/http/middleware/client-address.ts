import ipaddr from 'ipaddr.js';

/**
 * By what the limits per address know a client: an IPv4 address as it is, also where it comes mapped into IPv6; of IPv6 the
 * /64, for whoever has one address has all of those. What is no address, as a proxy might hand it on, is one client.
 *
 * @param ip the address that Express has found, with as many proxies as `TRUST_PROXY` says
 */
export function clientAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
