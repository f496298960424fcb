import { SignClient } from '@walletconnect/sign-client';
import { say } from '../../i18n/say.ts';
import { isPhone } from '../is-phone.ts';
import type { Link, Relay } from './link.ts';
import type { Paired } from './pairing.ts';
import { WalletError } from './wallet-error.ts';

type Client = Awaited<ReturnType<typeof SignClient.init>>;
type Session = ReturnType<Client['session']['get']>;

/** All that pages ask of wallets. A wallet grants the part that it has. */
const METHODS = [
  'eth_sendTransaction',
  'personal_sign',
  'eth_signTypedData_v4',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
  'wallet_getCapabilities',
  'wallet_sendCalls',
  'wallet_getCallsStatus',
];
const EVENTS = ['accountsChanged', 'chainChanged'];

/** The events after which a connection grants something else. */
const CHANGES = ['session_update', 'session_delete', 'session_expire'] as const;

/** How long the relay may take to accept a code; the library itself tries for a minute. */
const RELAY_MS = 10_000;

/** How long a code is shown: the library gives up after five minutes, with an error that nobody can catch. */
const CODE_MS = 290_000;

/** The name under which the library finds the app to open at a request. */
const APP_TO_OPEN = 'WALLETCONNECT_DEEPLINK_CHOICE';

let opening: Promise<Client> | null = null;

/** The library allows one client in a page. */
function clientOf(relay: Relay): Promise<Client> {
  opening ??= openClient(relay);
  return opening;
}

async function openClient({ projectId, relayUrl }: Relay): Promise<Client> {
  const { host: name, origin: url } = location;
  const client = await SignClient.init({
    projectId,
    relayUrl,
    metadata: { name, description: '', url, icons: [] },
    logger: 'silent',
    telemetryEnabled: false,
  });
  // It would tell the relay the method, chain and contract of each request in the clear.
  const { relayer } = client.core;
  const publish = relayer.publish.bind(relayer);
  relayer.publish = (topic, message, { tvf: _told, ...options } = {}) => publish(topic, message, options);
  // It would load a frame of another host, which the policy of the page forbids. Wallets then show the address as not
  // verified.
  client.core.verify.register = async () => '';
  return client;
}

/** A new code. Throws a WalletError, or an error of the library. */
export async function pair(relay: Relay, chainIds: readonly number[]): Promise<Paired> {
  const client = await clientOf(relay);
  const chains = chainIds.map((id) => `eip155:${id}`);
  const asking = client.connect({ optionalNamespaces: { eip155: { chains, methods: METHODS, events: EVENTS } } });
  const { uri = '', approval } = await inTime(asking);
  const drop = () => dropPairing(client, new URL(uri).pathname.replace(/@.*/, ''));
  const timer = setTimeout(drop, CODE_MS);
  const approved = approval()
    .finally(() => clearTimeout(timer))
    .then((session) => linkOf(client, session));
  // Its failure may come when nobody waits any more.
  approved.catch(() => {});
  return { uri, approved, drop };
}

/**
 * Ends the wait for a wallet as the library itself does after five minutes, and tells one that has the code already.
 */
function dropPairing(client: Client, topic: string): void {
  const proposals = client.proposal.getAll().filter(({ pairingTopic }) => pairingTopic === topic);
  for (const { id } of proposals) client.events.emit('proposal_expire', { id });
  client.core.pairing.disconnect({ topic }).catch(() => {});
}

/** The newest connection of this browser to a wallet that shows the account; null: none. */
export async function findLink(relay: Relay, address: string): Promise<Link | null> {
  const client = await clientOf(relay);
  const suffix = `:${address.toLowerCase()}`;
  const isOf = ({ namespaces }: Session) =>
    namespaces['eip155']?.accounts.some((account) => account.toLowerCase().endsWith(suffix)) === true;
  const session = client.session.getAll().filter(isOf).at(-1);
  return session === undefined ? null : linkOf(client, session);
}

async function linkOf(client: Client, { topic, peer: { metadata } }: Session): Promise<Link> {
  const app = metadata.redirect?.native ?? metadata.redirect?.universal;
  if (isPhone() && app !== undefined) {
    await client.core.storage.setItem(APP_TO_OPEN, JSON.stringify({ href: app, name: metadata.name }));
  }
  return {
    name: metadata.name,
    granted: () =>
      client.session.keys.includes(topic) ? (client.session.get(topic).namespaces['eip155'] ?? null) : null,
    request: (chainId, request) => client.request({ topic, chainId: `eip155:${chainId}`, request }),
    onChange: (listener) => {
      const heard = (event: { readonly topic: string }) => {
        if (event.topic === topic) listener();
      };
      for (const event of CHANGES) client.on(event, heard);
      return () => {
        for (const event of CHANGES) client.off(event, heard);
      };
    },
    // The wallet may have ended it before, or be out of reach: the connection is over here in any case.
    end: () => void client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }).catch(() => {}),
  };
}

async function inTime<T>(asking: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new WalletError('unreachable', say('wallet_error.no_relay'))), RELAY_MS);
  });
  return Promise.race([asking, late]).finally(() => clearTimeout(timer));
}
