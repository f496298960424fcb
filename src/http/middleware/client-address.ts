import ipaddr from 'ipaddr.js';

/** Whose requests are counted together. */
export interface Client {
  /** An IPv4 address, also when it is mapped into IPv6; of IPv6 the /64, because its owner has all addresses in it. */
  readonly address: string;
  /** Of an IPv4 address the /24, which one owner often has as a whole; of IPv6 the /64. */
  readonly network: string;
  /** False: the proxies do not say who the client is. Address and network name the peer, for all its clients. */
  readonly isReadable: boolean;
  /** How many clients' limits it has. */
  readonly limitFactor: number;
}

/** Of all clients of a peer whom the proxies do not name (docs/rules.md, "Limits"). */
export const UNREADABLE_FACTOR = 100;

/** What Express knows of a request: `ip` is what it finds behind the number of proxies in `TRUST_PROXY`. */
interface Sender {
  readonly ip?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** An address with its port, as some proxies write it; IPv6 stands in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^[]*\.\d+):\d{1,5})$/;

/** The client of a request, for limits per address. */
export function clientOf({ ip, socket }: Sender): Client {
  const address = addressIn(ip);
  if (address === null) {
    const peer = `via/${socket.remoteAddress}`;
    return { address: peer, network: peer, isReadable: false, limitFactor: UNREADABLE_FACTOR };
  }
  if (address instanceof ipaddr.IPv4) {
    const network = `${address.octets.slice(0, 3).join('.')}.0/24`;
    return { address: address.toString(), network, isReadable: true, limitFactor: 1 };
  }
  const parts = address.parts.slice(0, 4).map((part) => part.toString(16));
  const network = `${parts.join(':')}::/64`;
  return { address: network, network, isReadable: true, limitFactor: 1 };
}

function addressIn(text = ''): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [, v6, v4] = WITH_PORT.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
