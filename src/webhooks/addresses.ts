import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Checks public and is not: the address at which Azure answers every machine of its own. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Exactly what `WEBHOOK_ALLOW_LOOPBACK` opens. */
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** The only part of IPv6 from which public addresses have been given out. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Why deliveries do not go to an address, as the name of the kind of address that it is (`loopback`, `private`,
 * `link-local`, …), or null for a plain public one. What is not known to be public is refused; so are addresses that carry
 * another in them (IPv4-mapped, NAT64, 6to4, Teredo), whatever that is.
 */
export function refusalOf(address: string, allowLoopback: boolean): string | null {
  if (allowLoopback && LOOPBACK_ADDRESSES.has(address)) return null;
  if (METADATA_ADDRESSES.has(address)) return 'metadata';
  switch (isIP(address)) {
    case 4:
      return refusalOfRange(ipaddr.IPv4.parse(address).range());
    case 6:
      return refusalOfV6(address);
    default:
      return 'unknown';
  }
}

function refusalOfV6(address: string): string | null {
  if (address.includes('%')) return 'link-local';
  const parsed = ipaddr.IPv6.parse(address);
  const refusal = refusalOfRange(parsed.range());
  if (refusal !== null) return refusal;
  return parsed.match([...GLOBAL_UNICAST]) ? null : 'reserved';
}

/** The ranges of ipaddr.js in words; every one but `unicast` is refused. */
function refusalOfRange(range: string): string | null {
  switch (range) {
    case 'unicast':
      return null;
    case 'rfc6052':
    case 'rfc6145':
      return 'nat64';
    default:
      return range.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
  }
}
