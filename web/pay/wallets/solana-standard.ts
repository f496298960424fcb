import { getWallets } from '@wallet-standard/app';
import bs58 from 'bs58';
import { say } from '../../i18n/say.ts';
import { messageOf } from '../../ui/message-of.ts';
import { fieldOf } from './field-of.ts';
import { bytesOf } from './solana-draft.ts';
import type { Approval, Drafted, Network, Wallet, WalletOption } from './wallet.ts';
import { inWords, WalletError } from './wallet-error.ts';

/** The used parts of a Wallet Standard wallet. */
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
}

type Announced = ReturnType<ReturnType<typeof getWallets>['get']>[number];

/** The names of the catalog's chains in the Wallet Standard. */
const CHAINS: { readonly [chainId: number]: string } = {
  101: 'solana:mainnet',
  103: 'solana:devnet',
  104: 'solana:localnet',
};

/**
 * The registered Solana wallets, now and after each registration or change of chains or features. Returns the function
 * that ends this.
 */
export function watchStandard(onFound: (found: readonly WalletOption[]) => void): () => void {
  const wallets = getWallets();
  const notify = () => onFound(wallets.get().flatMap(optionOf));
  const stops = [wallets.on('unregister', notify)];
  const follow = (...registered: Announced[]) => {
    stops.push(...registered.flatMap((wallet) => eventsOf(wallet)?.on('change', notify) ?? []));
    notify();
  };
  stops.push(wallets.on('register', follow));
  follow(...wallets.get());
  return () => {
    for (const stop of stops) stop();
  };
}

function optionOf(announced: Announced): WalletOption[] {
  if (featuresOf(announced) === null || !announced.chains.some((chain) => chain.startsWith('solana:'))) return [];
  const { name, icon } = announced;
  return [
    {
      id: `solana-${name}`,
      name,
      icon,
      family: 'solana',
      kind: 'extension',
      connects: (other) => other === name,
      connect: async () => {
        const { accounts } = await asked(requireFeatures(announced).connect.connect());
        const account = accounts[0] ?? announced.accounts[0];
        if (account === undefined) throw new WalletError('rejected', say('wallet_error.no_account', { wallet: name }));
        return new StandardWallet(announced, account);
      },
      reconnect: async (address) => {
        const { accounts } = await asked(requireFeatures(announced).connect.connect({ silent: true }));
        const account = accounts.find((each) => each.address === address);
        return account ? new StandardWallet(announced, account) : null;
      },
    },
  ];
}

function eventsOf({ features }: Announced): EventsFeature | null {
  return has<EventsFeature>(features['standard:events'], 'on');
}

function featuresOf({ features }: Announced): Features | null {
  const connect = has<ConnectFeature>(features['standard:connect'], 'connect');
  const signMessage = has<SignMessageFeature>(features['solana:signMessage'], 'signMessage');
  const send = has<SendFeature>(features['solana:signAndSendTransaction'], 'signAndSendTransaction');
  if (connect === null || signMessage === null || send === null) return null;
  return { connect, signMessage, send };
}

/** The present features: a locked wallet, or another account, may have fewer. */
function requireFeatures(announced: Announced): Features {
  const features = featuresOf(announced);
  if (features === null) throw new WalletError('failed', say('wallet_error.no_solana', { wallet: announced.name }));
  return features;
}

/** A feature exists if it has its method; the standard guarantees the rest. */
function has<Feature extends object>(feature: unknown, method: keyof Feature & string): Feature | null {
  return isFeature<Feature>(feature, method) ? feature : null;
}

function isFeature<Feature extends object>(feature: unknown, method: string): feature is Feature {
  return typeof fieldOf(feature, method) === 'function';
}

class StandardWallet implements Wallet {
  readonly family = 'solana';
  readonly name: string;
  readonly address: string;
  readonly signTypedData = null;
  readonly approveInOne = null;
  readonly agreements = null;
  readonly #account: StandardAccount;
  readonly #announced: Announced;

  constructor(announced: Announced, account: StandardAccount) {
    this.name = announced.name;
    this.address = account.address;
    this.#account = account;
    this.#announced = announced;
  }

  async isOn(): Promise<boolean> {
    return true;
  }

  async switchTo(): Promise<void> {}

  async signText(message: string): Promise<string> {
    const bytes = new TextEncoder().encode(message);
    const { signMessage } = requireFeatures(this.#announced);
    const [signed] = await asked(signMessage.signMessage({ account: this.#account, message: bytes }));
    return signatureIn(signed);
  }

  /** The service simulates when it drafts the transaction. */
  async check() {
    return 'accepted' as const;
  }

  async approve({ payToken, draft }: Approval): Promise<string> {
    return this.send({ family: 'solana', transaction: await draft() }, payToken);
  }

  async send(drafted: Drafted, network: Network): Promise<string> {
    const input = { account: this.#account, chain: chainOf(network), transaction: bytesOf(drafted) };
    const { send } = requireFeatures(this.#announced);
    const [sent] = await asked(send.signAndSendTransaction(input));
    return signatureIn(sent);
  }

  /** The standard has no method for this. */
  async landed() {
    return 'unknown' as const;
  }

  onChange(listener: () => void): () => void {
    return eventsOf(this.#announced)?.on('change', listener) ?? (() => {});
  }

  async currentAddress(): Promise<string | null> {
    return this.#announced.accounts.find(({ address }) => address === this.address)?.address ?? null;
  }
}

function chainOf({ chainId, label }: Network): string {
  const chain = CHAINS[chainId];
  if (chain === undefined)
    throw new WalletError('unknown_chain', say('wallet_error.unknown_network', { network: label }));
  return chain;
}

function signatureIn(output: { readonly signature: Uint8Array } | undefined): string {
  if (output === undefined) throw new WalletError('failed', say('wallet_error.no_signature'));
  return bs58.encode(output.signature);
}

/** The standard has no error codes: only the message can show that the owner declined. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const message = messageOf(error);
    const isDeclined = /reject|declin|cancel|denied/i.test(message) || fieldOf(error, 'code') === 4001;
    throw new WalletError(isDeclined ? 'rejected' : 'failed', inWords(message));
  }
}
