import { messageOf } from '../../ui/message-of.ts';
import type { PermitToSign, Playing } from '../types.ts';
import { approveCall } from './approve-call.ts';
import { type Approval, type Wallet, WalletError } from './wallet.ts';

/** A provider of EIP-1193, as far as it is used here. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (...given: never[]) => void): unknown;
  removeListener?(event: string, listener: (...given: never[]) => void): unknown;
}

/** How a chain is made known to a wallet that has not heard of it; null: only its owner can. */
export type ChainFacts = (chainId: number) => Promise<{ readonly rpcUrl: string } | null>;

/** Asks the provider for an account. */
export async function connectProvider(provider: Provider, name: string, factsOf: ChainFacts): Promise<Wallet> {
  const [address] = accountsIn(await ask(provider, 'eth_requestAccounts'));
  if (address === undefined) throw new WalletError('rejected', `${name} has shown no account.`);
  return new ProviderWallet(provider, name, address, factsOf);
}

/** The account that the provider shows this page without asking; null: it shows another one, or none. */
export async function reconnectProvider(
  provider: Provider,
  name: string,
  factsOf: ChainFacts,
  address: string,
): Promise<Wallet | null> {
  const [shown] = accountsIn(await ask(provider, 'eth_accounts'));
  const isSame = shown?.toLowerCase() === address.toLowerCase();
  return shown !== undefined && isSame ? new ProviderWallet(provider, name, shown, factsOf) : null;
}

class ProviderWallet implements Wallet {
  readonly family = 'evm';
  readonly name: string;
  readonly address: string;
  readonly #provider: Provider;
  readonly #factsOf: ChainFacts;

  constructor(provider: Provider, name: string, address: string, factsOf: ChainFacts) {
    this.#provider = provider;
    this.name = name;
    this.address = address;
    this.#factsOf = factsOf;
  }

  async isOn({ chainId }: Playing): Promise<boolean> {
    return Number(await ask(this.#provider, 'eth_chainId')) === chainId;
  }

  async switchTo(place: Playing): Promise<void> {
    const chainId = `0x${place.chainId.toString(16)}`;
    try {
      await ask(this.#provider, 'wallet_switchEthereumChain', [{ chainId }]);
    } catch (error) {
      if (!(error instanceof WalletError) || error.kind !== 'unknown_chain') throw error;
      await this.#add(place, chainId);
    }
    if (await this.isOn(place)) return;
    throw new WalletError('failed', `${this.name} has stayed on another network.`);
  }

  async #add({ chainId: id, label }: Playing, chainId: string): Promise<void> {
    const facts = await this.#factsOf(id);
    if (facts === null) {
      throw new WalletError(
        'unknown_chain',
        `Add the network ${label} (chain id ${id}) to ${this.name}, then try again.`,
      );
    }
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: label, rpcUrls: [facts.rpcUrl], nativeCurrency }];
    await ask(this.#provider, 'wallet_addEthereumChain', params);
    if (Number(await ask(this.#provider, 'eth_chainId')) !== id) {
      await ask(this.#provider, 'wallet_switchEthereumChain', [{ chainId }]);
    }
  }

  async signText(message: string): Promise<string> {
    return textIn(await ask(this.#provider, 'personal_sign', [hexOf(message), this.address]));
  }

  readonly signPermit = async (permit: PermitToSign): Promise<string> =>
    textIn(await ask(this.#provider, 'eth_signTypedData_v4', [this.address, JSON.stringify(permit)]));

  async approve({ place, operator, value }: Approval): Promise<string> {
    const call = { from: this.address, to: place.token, value: '0x0', data: approveCall(operator, value) };
    return textIn(await ask(this.#provider, 'eth_sendTransaction', [call]));
  }

  async landed(hash: string) {
    const receipt = await ask(this.#provider, 'eth_getTransactionReceipt', [hash]);
    if (typeof receipt !== 'object' || receipt === null || !('status' in receipt)) return 'not_yet';
    return Number(receipt.status) === 1 ? 'good' : 'reverted';
  }

  onChange(listener: () => void): () => void {
    const events = ['accountsChanged', 'chainChanged', 'disconnect'];
    for (const event of events) this.#provider.on?.(event, listener);
    return () => {
      for (const event of events) this.#provider.removeListener?.(event, listener);
    };
  }

  async currentAddress(): Promise<string | null> {
    return accountsIn(await ask(this.#provider, 'eth_accounts'))[0] ?? null;
  }
}

async function ask(provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw walletError(error);
  }
}

/** Codes of EIP-1193, EIP-1474 and EIP-3326; what wallets wrap in others stands in `data.originalError`. */
function walletError(error: unknown): WalletError {
  const message = messageOf(error);
  switch (codeOf(error)) {
    case 4001:
      return new WalletError('rejected', 'You have declined it in your wallet.');
    case 4902:
      return new WalletError('unknown_chain', message);
    case -32002:
      return new WalletError('busy', 'Your wallet is already asking you something: open it and answer there.');
    default:
      return new WalletError('failed', message);
  }
}

function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return null;
  const inner = 'data' in error && typeof error.data === 'object' && error.data !== null ? error.data : null;
  if (inner !== null && 'originalError' in inner) return codeOf(inner.originalError);
  return 'code' in error ? error.code : null;
}

function accountsIn(answer: unknown): string[] {
  return Array.isArray(answer) ? answer.filter((each) => typeof each === 'string') : [];
}

function textIn(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  throw new WalletError('failed', 'The wallet has answered with something that is no text.');
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
