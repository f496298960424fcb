import { say } from '../../i18n/say.ts';
import { type ChainFacts, connectProvider, type Provider, type ProviderSource, reconnectProvider } from './eip1193.ts';
import { fieldOf } from './field-of.ts';
import type { WalletOption } from './wallet.ts';

declare global {
  interface Window {
    /** The provider of a wallet older than EIP-6963. */
    readonly ethereum?: Provider;
  }
}

/** A wallet's announcement (EIP-6963). */
interface Announced {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string };
  readonly provider: Provider;
}

const ANNOUNCE = 'eip6963:announceProvider';

/** Moments at which a wallet older than EIP-6963 may have added its provider, even long after the page has loaded. */
const LEGACY_EVENTS = ['ethereum#initialized', 'load', 'focus'];

/**
 * The wallets that announce themselves (EIP-6963), now and later; a repeated announcement replaces the earlier one.
 * Until the first announcement, the provider at `window.ethereum`, once it exists. Returns the function that ends this.
 */
export function watchInjected(factsOf: ChainFacts, onFound: (found: readonly WalletOption[]) => void): () => void {
  const announced = new Map<string, Announced>();
  const notify = () => onFound(optionsOf([...announced.values()], factsOf));
  const announce = (event: Event) => {
    const one = announcedIn(event);
    if (one === null || announced.get(one.info.uuid)?.provider === one.provider) return;
    announced.set(one.info.uuid, one);
    notify();
  };
  window.addEventListener(ANNOUNCE, announce);
  for (const event of LEGACY_EVENTS) window.addEventListener(event, notify);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  notify();
  return () => {
    window.removeEventListener(ANNOUNCE, announce);
    for (const event of LEGACY_EVENTS) window.removeEventListener(event, notify);
  };
}

function announcedIn(event: Event): Announced | null {
  const detail: unknown = event instanceof CustomEvent ? event.detail : null;
  return isAnnounced(detail) ? detail : null;
}

function isAnnounced(detail: unknown): detail is Announced {
  const info = fieldOf(detail, 'info');
  const isNamed = ['uuid', 'name', 'icon'].every((key) => typeof fieldOf(info, key) === 'string');
  return isNamed && typeof fieldOf(fieldOf(detail, 'provider'), 'request') === 'function';
}

function optionsOf(announced: readonly Announced[], factsOf: ChainFacts): WalletOption[] {
  const options = announced.map(({ info, provider }): WalletOption => {
    const { uuid, name, icon } = info;
    const source = announcedSource(uuid, provider);
    return extension(`evm-${uuid}`, name, icon.startsWith('data:image/') ? icon : null, source, factsOf);
  });
  const { ethereum } = window;
  if (options.length > 0 || ethereum === undefined) return options;
  return [extension('evm-injected', say('wallet.browser_wallet'), null, legacySource(ethereum), factsOf)];
}

/** The newest provider that the wallet of this uuid has announced: an updated extension announces another one. */
function announcedSource(uuid: string, first: Provider): ProviderSource {
  let provider = first;
  return {
    now: () => provider,
    onReplaced: (listener) => {
      const announce = (event: Event) => {
        const one = announcedIn(event);
        if (one?.info.uuid !== uuid || one.provider === provider) return;
        provider = one.provider;
        listener();
      };
      window.addEventListener(ANNOUNCE, announce);
      return () => window.removeEventListener(ANNOUNCE, announce);
    },
  };
}

function legacySource(first: Provider): ProviderSource {
  return {
    now: () => window.ethereum ?? first,
    onReplaced: (listener) => {
      window.addEventListener('ethereum#initialized', listener);
      return () => window.removeEventListener('ethereum#initialized', listener);
    },
  };
}

function extension(
  id: string,
  name: string,
  icon: string | null,
  source: ProviderSource,
  factsOf: ChainFacts,
): WalletOption {
  return {
    id,
    name,
    icon,
    family: 'evm',
    kind: 'extension',
    connects: (other) => other === name,
    connect: () => connectProvider(source, name, factsOf),
    reconnect: (address) => reconnectProvider(source, name, factsOf, address),
  };
}
