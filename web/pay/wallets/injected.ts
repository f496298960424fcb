import { createStore } from 'mipd';
import { type ChainFacts, connectProvider, type Provider, reconnectProvider } from './eip1193.ts';
import type { WalletOption } from './wallet.ts';

declare global {
  interface Window {
    /** The provider of a wallet from before EIP-6963. */
    readonly ethereum?: Provider;
  }
}

/** The wallets that have announced themselves (EIP-6963), now and whenever another one does. Returns what ends that. */
export function watchInjected(factsOf: ChainFacts, onFound: (found: readonly WalletOption[]) => void): () => void {
  const store = createStore();
  const tell = () => onFound(optionsOf(store.getProviders(), factsOf));
  const stop = store.subscribe(tell);
  tell();
  return () => {
    stop();
    store.destroy();
  };
}

type Announced = ReturnType<ReturnType<typeof createStore>['getProviders']>;

function optionsOf(announced: Announced, factsOf: ChainFacts): WalletOption[] {
  const options = announced.map(({ info, provider }): WalletOption => {
    const { uuid, name, icon } = info;
    return extension(`evm-${uuid}`, name, icon.startsWith('data:image/') ? icon : null, provider, factsOf);
  });
  const { ethereum } = window;
  if (options.length > 0 || ethereum === undefined) return options;
  return [extension('evm-injected', 'Browser wallet', null, ethereum, factsOf)];
}

function extension(
  id: string,
  name: string,
  icon: string | null,
  provider: Provider,
  factsOf: ChainFacts,
): WalletOption {
  return {
    id,
    name,
    icon,
    family: 'evm',
    kind: 'extension',
    walletName: name,
    connect: () => connectProvider(provider, name, factsOf),
    reconnect: (address) => reconnectProvider(provider, name, factsOf, address),
  };
}
