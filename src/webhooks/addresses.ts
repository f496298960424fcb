import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses with a public form that serve metadata: Azure answers its own machines at this one. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** All the addresses that `WEBHOOK_ALLOW_LOOPBACK` allows. */
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** The only IPv6 range from which public addresses are assigned. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * The kind of an address to which nothing is delivered (`loopback`, `private`, `link-local`, …); null for a plain
 * public address. An address that is not known to be public is refused. So is one that embeds another (IPv4-mapped,
 * NAT64, 6to4, Teredo), whichever it embeds.
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

/** The range of ipaddr.js in words. Every range but `unicast` is refused. */
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
