import { getWallets } from '@wallet-standard/app';
import { messageOf } from '../../ui/message-of.ts';
import { fromBase64, toBase58 } from '../base58.ts';
import type { Playing } from '../types.ts';
import { type Approval, type Wallet, WalletError, type WalletOption } from './wallet.ts';

/** What of a wallet of the Wallet Standard is used here; everything else is left to it. */
interface StandardAccount {
  readonly address: string;
}
interface ConnectFeature {
  connect(input?: { readonly silent: boolean }): Promise<{ readonly accounts: readonly StandardAccount[] }>;
}
interface SignMessageFeature {
  signMessage(input: {
    readonly account: StandardAccount;
    readonly message: Uint8Array;
  }): Promise<readonly { readonly signature: Uint8Array }[]>;
}
interface SendFeature {
  signAndSendTransaction(input: {
    readonly account: StandardAccount;
    readonly chain: string;
    readonly transaction: Uint8Array;
  }): Promise<readonly { readonly signature: Uint8Array }[]>;
}
interface EventsFeature {
  on(event: 'change', listener: () => void): () => void;
}

interface Features {
  readonly connect: ConnectFeature;
  readonly signMessage: SignMessageFeature;
  readonly send: SendFeature;
  readonly events: EventsFeature | null;
}

type Announced = ReturnType<ReturnType<typeof getWallets>['get']>[number];

/** How the Wallet Standard names the chains of the catalog. */
const CHAINS: { readonly [chainId: number]: string } = {
  101: 'solana:mainnet',
  103: 'solana:devnet',
  104: 'solana:localnet',
};

/** The Solana wallets that have registered themselves, now and whenever another one does. Returns what ends that. */
export function watchStandard(onFound: (found: readonly WalletOption[]) => void): () => void {
  const wallets = getWallets();
  const tell = () => onFound(wallets.get().flatMap(optionOf));
  const stops = [wallets.on('register', tell), wallets.on('unregister', tell)];
  tell();
  return () => {
    for (const stop of stops) stop();
  };
}

function optionOf(announced: Announced): WalletOption[] {
  const features = featuresOf(announced);
  if (features === null || !announced.chains.some((chain) => chain.startsWith('solana:'))) return [];
  const { name, icon } = announced;
  return [
    {
      id: `solana-${name}`,
      name,
      icon,
      family: 'solana',
      kind: 'extension',
      walletName: name,
      connect: async () => {
        const { accounts } = await asked(features.connect.connect());
        const account = accounts[0] ?? announced.accounts[0];
        if (account === undefined) throw new WalletError('rejected', `${name} has shown no account.`);
        return new StandardWallet(name, account, features, () => announced.accounts);
      },
      reconnect: async (address) => {
        const { accounts } = await asked(features.connect.connect({ silent: true }));
        const account = accounts.find((each) => each.address === address);
        return account ? new StandardWallet(name, account, features, () => announced.accounts) : null;
      },
    },
  ];
}

function featuresOf({ features }: Announced): Features | null {
  const connect = has<ConnectFeature>(features['standard:connect'], 'connect');
  const signMessage = has<SignMessageFeature>(features['solana:signMessage'], 'signMessage');
  const send = has<SendFeature>(features['solana:signAndSendTransaction'], 'signAndSendTransaction');
  if (connect === null || signMessage === null || send === null) return null;
  return { connect, signMessage, send, events: has<EventsFeature>(features['standard:events'], 'on') };
}

/** A feature is what has its method: the standard says the rest. */
function has<Feature extends object>(feature: unknown, method: keyof Feature & string): Feature | null {
  return isFeature<Feature>(feature, method) ? feature : null;
}

function isFeature<Feature extends object>(feature: unknown, method: string): feature is Feature {
  if (typeof feature !== 'object' || feature === null) return false;
  return typeof Reflect.get(feature, method) === 'function';
}

class StandardWallet implements Wallet {
  readonly family = 'solana';
  readonly name: string;
  readonly address: string;
  readonly signPermit = null;
  readonly #account: StandardAccount;
  readonly #features: Features;
  readonly #accounts: () => readonly StandardAccount[];

  constructor(name: string, account: StandardAccount, features: Features, accounts: () => readonly StandardAccount[]) {
    this.name = name;
    this.address = account.address;
    this.#account = account;
    this.#features = features;
    this.#accounts = accounts;
  }

  async isOn(): Promise<boolean> {
    return true;
  }

  async switchTo(): Promise<void> {}

  async signText(message: string): Promise<string> {
    const bytes = new TextEncoder().encode(message);
    const [signed] = await asked(this.#features.signMessage.signMessage({ account: this.#account, message: bytes }));
    return signatureIn(signed);
  }

  async approve({ place, draft }: Approval): Promise<string> {
    const transaction = fromBase64(await draft());
    const input = { account: this.#account, chain: chainOf(place), transaction };
    const [sent] = await asked(this.#features.send.signAndSendTransaction(input));
    return signatureIn(sent);
  }

  /** The standard has no way to ask. */
  async landed() {
    return 'unknown' as const;
  }

  onChange(listener: () => void): () => void {
    return this.#features.events?.on('change', listener) ?? (() => {});
  }

  async currentAddress(): Promise<string | null> {
    return this.#accounts().find(({ address }) => address === this.address)?.address ?? null;
  }
}

function chainOf({ chainId, label }: Playing): string {
  const chain = CHAINS[chainId];
  if (chain === undefined)
    throw new WalletError('unknown_chain', `${label} is a network that Solana wallets do not know.`);
  return chain;
}

function signatureIn(output: { readonly signature: Uint8Array } | undefined): string {
  if (output === undefined) throw new WalletError('failed', 'The wallet has answered without a signature.');
  return toBase58(output.signature);
}

/** The standard has no codes: that it was declined stands in the message, if anywhere. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const message = messageOf(error);
    const isDeclined = /reject|declin|cancel|denied/i.test(message) || codeOf(error) === 4001;
    throw new WalletError(isDeclined ? 'rejected' : 'failed', message);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
}
