import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { invalid } from '../errors/fault.ts';
import { errorOf } from '../errors/message-of.ts';
import type { Mode } from '../store/documents.ts';

/** A host's addresses, IPv4 first. Empty: it does not resolve, for whatever reason. Never rejects. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const QUERY = { timeout: 1_500, tries: 2 };

interface ResolverOptions {
  /** The machine's hosts file, which takes precedence over DNS. */
  readonly hostsFile?: string;
}

/**
 * Resolves as the machine does, with two differences. It queries DNS itself, not through `getaddrinfo`, whose four
 * threads serve the whole process: four names with silent name servers would stop all deliveries. And it uses no search
 * domains: `http://mongo/` is not completed to a name inside the service's own network.
 */
export function systemResolver({ hostsFile = '/etc/hosts' }: ResolverOptions = {}): Resolve {
  const resolver = new dns.Resolver(QUERY);
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const listed = addressesIn(await readText(hostsFile), name);
    if (listed.length > 0) return listed;
    const [v4, v6] = await Promise.all([orNone(resolver.resolve4(name)), orNone(resolver.resolve6(name))]);
    return [...v4, ...v6];
  };
}

/** The addresses that a hosts file has for a name. */
export function addressesIn(hosts: string, name: string): string[] {
  const found: string[] = [];
  for (const line of hosts.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address && names.some((each) => each.toLowerCase() === name)) found.push(address);
  }
  return found;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

async function orNone(asked: Promise<string[]>): Promise<string[]> {
  try {
    return await asked;
  } catch {
    return [];
  }
}

/** The longest URL that is accepted, in characters. */
export const URL_MAX = 2_048;

/** How long a save waits for DNS. A URL that has not resolved by then is saved: every attempt checks again. */
const RESOLVE_AT_SAVE_MS = 3_000;

/** How long a connection to one address may take, with TLS; and how many addresses of a name are tried. */
const CONNECT_MS = 4_000;
const ADDRESSES_MAX = 4;

/** The host has an address to which nothing is delivered. `kind`: of the address, such as `private`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly kind: string;

  constructor(hostname: string, kind: string) {
    super(`${hostname} has a ${kind} address`);
    this.kind = kind;
  }
}

/** The receiver's host name does not resolve. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}

interface AddressGuardOptions {
  readonly resolve: Resolve;
  /** Allows 127.0.0.1 and ::1, and no other address that is not public (`WEBHOOK_ALLOW_LOOPBACK`). */
  readonly allowLoopback: boolean;
}

/** Keeps deliveries out of private networks (docs/rules.md, "Webhooks"): all addresses of a host must be public. */
export class AddressGuard {
  readonly #options: AddressGuardOptions;

  constructor(options: AddressGuardOptions) {
    this.#options = options;
  }

  /** The parsed URL, if the mode allows its form. Throws 400 naming `url` otherwise. Resolves no name. */
  parse(text: string, mode: Mode): URL {
    const url = urlOf(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('url must be an http or https URL');
    if (mode === 'live' && url.protocol !== 'https:') {
      throw invalid('url must be an https URL in live mode; http is for the sandbox');
    }
    if (url.username !== '' || url.password !== '') throw invalid('url must not contain a user name or password');
    return url;
  }

  /** As `parse`, but also throws 400 when the host is, or resolves to, an address that is not public. */
  async admit(text: string, mode: Mode): Promise<URL> {
    const url = this.parse(text, mode);
    try {
      await Promise.race([this.addressesOf(url.hostname), delay(RESOLVE_AT_SAVE_MS, undefined, { ref: false })]);
    } catch (error) {
      if (!(error instanceof AddressRefused)) return url;
      throw invalid(`url must point to public addresses only; ${error.message}`);
    }
    return url;
  }

  /** Where this host may be connected now; literals are checked too. Throws AddressRefused or NameUnresolved. */
  async addressesOf(hostname: string): Promise<readonly string[]> {
    const literal = hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = isIP(literal) === 0 ? await this.#options.resolve(hostname) : [literal];
    if (addresses.length === 0) throw new NameUnresolved(`${hostname} does not resolve`);
    for (const address of addresses) this.#check(hostname, address);
    return addresses;
  }

  /** For undici. It connects to exactly the addresses that it has checked: another resolution could give others. */
  connector(dial: buildConnector.connector = buildConnector({ timeout: CONNECT_MS })): buildConnector.connector {
    return (options, callback) => {
      this.addressesOf(options.hostname).then(
        (addresses) => this.#dialOneOf(addresses.slice(0, ADDRESSES_MAX), dial, options, callback),
        (error: unknown) => callback(errorOf(error), null),
      );
    };
  }

  #dialOneOf(
    [address, ...others]: readonly string[],
    dial: buildConnector.connector,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): void {
    if (address === undefined) {
      callback(new NameUnresolved(`${options.hostname} does not resolve`), null);
      return;
    }
    dial({ ...options, hostname: address }, (error, socket) => {
      if (error !== null) {
        if (others.length > 0 && isUnreachable(error)) this.#dialOneOf(others, dial, options, callback);
        else callback(error, null);
        return;
      }
      const refused = this.#refusalOfPeer(options.hostname, socket.remoteAddress);
      if (refused) {
        socket.destroy();
        callback(refused, null);
        return;
      }
      callback(null, socket);
    });
  }

  #refusalOfPeer(hostname: string, address: string | undefined): AddressRefused | null {
    const kind = refusalOf(address ?? '', this.#options.allowLoopback);
    return kind === null ? null : new AddressRefused(hostname, kind);
  }

  #check(hostname: string, address: string): void {
    const kind = refusalOf(address, this.#options.allowLoopback);
    if (kind !== null) throw new AddressRefused(hostname, kind);
  }
}

/** No connection was made, so the next address may answer. After any other refusal no other is tried. */
function isUnreachable(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && UNREACHABLE.has(error.code);
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Parses as HTTP clients do. Refuses spaces and control characters, which the parser would drop silently. */
function urlOf(text: string): URL {
  const hasStray = /[\s\p{Cc}]/u.test(text);
  const url = text.length > URL_MAX || hasStray ? null : parsedUrl(text);
  if (url === null) throw invalid(`url must be an absolute http or https URL of at most ${URL_MAX} characters`);
  return url;
}

/** Every attempt runs this, so it avoids `URL.canParse`, which would parse the URL twice. */
function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

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
function refusalOf(address: string, allowLoopback: boolean): string | null {
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
