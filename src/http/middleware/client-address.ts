import ipaddr from 'ipaddr.js';

/**
 * The identity of a client for limits per address: an IPv4 address, also when it is mapped into IPv6; of an IPv6
 * address the /64, because its owner has all addresses in it. All values that are not an address, as a proxy might pass
 * on, are one client.
 *
 * @param ip the address that Express finds behind the number of proxies in `TRUST_PROXY`
 */
export function clientAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipv6Network(address);
}

/** As `clientAddress`, the network of the client: of an IPv4 address the /24, which one owner often has as a whole. */
export function clientNetwork(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv4)) return ipv6Network(address);
  return `${address.octets.slice(0, 3).join('.')}.0/24`;
}

function ipv6Network({ parts }: ipaddr.IPv6): string {
  const network = parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
