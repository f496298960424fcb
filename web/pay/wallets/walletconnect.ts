import { type ChainFacts, connectProvider, reconnectProvider } from './eip1193.ts';
import type { Link, Relay } from './link.ts';
import { LinkProvider } from './link-provider.ts';
import { Pairing } from './pairing.ts';
import type { WalletOption } from './wallet.ts';

const NAME = 'WalletConnect';

/** The relay that the shell of the page names; null: the operator has none. */
export function relayOfPage(): Relay | null {
  const { walletconnect: projectId, relay: relayUrl } = document.documentElement.dataset;
  return projectId === undefined || relayUrl === undefined ? null : { projectId, relayUrl };
}

/**
 * Wallets on other devices. The library is loaded when a payer picks this. `chainIds`: what the wallet is asked to
 * grant, the chain to begin on first.
 */
export function walletConnect(relay: Relay, chainIds: readonly number[], factsOf: ChainFacts): WalletOption {
  const pairing = new Pairing();
  const [wanted = 0] = chainIds;
  const sourceOf = (link: Link) => {
    const provider = new LinkProvider(link, wanted);
    return { now: () => provider, onReplaced: () => () => {}, end: () => link.end() };
  };
  return {
    id: 'walletconnect',
    name: NAME,
    icon: null,
    family: 'evm',
    kind: 'walletconnect',
    pairing,
    connects: (name) => name.endsWith(` (${NAME})`),
    connect: async () => {
      const { pair } = await import('./walletconnect-client.ts');
      const link = await pairing.follow(() => pair(relay, chainIds));
      return connectProvider(sourceOf(link), nameOf(link), factsOf);
    },
    reconnect: async (address) => {
      const { findLink } = await import('./walletconnect-client.ts');
      const link = await findLink(relay, address);
      return link && reconnectProvider(sourceOf(link), nameOf(link), factsOf, address);
    },
  };
}

/** The name says the way, because the same wallet may also be in the browser. */
function nameOf({ name }: Link): string {
  return `${name} (${NAME})`;
}
