import { say } from '../../i18n/say.ts';
import type { Provider } from './eip1193.ts';
import { fieldOf } from './field-of.ts';
import type { Link } from './link.ts';

/**
 * An EIP-1193 provider over a connection to a wallet. Each request names its chain, so a switch among the granted
 * chains needs no prompt. There is no node behind it: it answers 4200 to reads, as to all that the wallet has not
 * granted.
 */
export class LinkProvider implements Provider {
  readonly #link: Link;
  #wanted: number;
  readonly #stops = new Map<unknown, () => void>();

  /** `wanted`: the chain to begin on, if the wallet has granted it. */
  constructor(link: Link, wanted: number) {
    this.#link = link;
    this.#wanted = wanted;
  }

  async request({ method, params = [] }: Parameters<Provider['request']>[0]): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return this.#accounts();
      case 'eth_chainId':
        return `0x${this.#chainId.toString(16)}`;
      case 'wallet_switchEthereumChain':
        return this.#switchTo(params);
      default:
        return this.#ask(method, params);
    }
  }

  /** All changes of a connection are one event, so listeners hear of it under every name. */
  on(_event: string, listener: () => void): void {
    if (!this.#stops.has(listener)) this.#stops.set(listener, this.#link.onChange(listener));
  }

  removeListener(_event: string, listener: () => void): void {
    this.#stops.get(listener)?.();
    this.#stops.delete(listener);
  }

  get #granted(): readonly { readonly chainId: number; readonly address: string }[] {
    return (this.#link.granted()?.accounts ?? []).map((account) => {
      const [, chainId = '', address = ''] = account.split(':');
      return { chainId: Number(chainId), address };
    });
  }

  #has(chainId: number): boolean {
    return this.#granted.some((each) => each.chainId === chainId);
  }

  get #chainId(): number {
    return this.#has(this.#wanted) ? this.#wanted : (this.#granted[0]?.chainId ?? 0);
  }

  #accounts(): string[] {
    const here = this.#chainId;
    return this.#granted.filter(({ chainId }) => chainId === here).map(({ address }) => address);
  }

  /**
   * A chain that the wallet has not granted: its owner is asked, and the grant follows as a change of the connection.
   */
  async #switchTo(params: readonly unknown[]): Promise<null> {
    const chainId = Number(fieldOf(params[0], 'chainId'));
    this.#wanted = chainId;
    if (this.#has(chainId)) return null;
    if (!this.#lacks('wallet_switchEthereumChain')) {
      await this.#ask('wallet_switchEthereumChain', params);
      return null;
    }
    throw new Error(say('wallet_error.not_granted', { wallet: this.#link.name }));
  }

  #lacks(method: string): boolean {
    return this.#link.granted()?.methods.includes(method) !== true;
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!this.#lacks(method)) return this.#link.request(this.#chainId, { method, params });
    const message = say('wallet_error.not_offered', { wallet: this.#link.name, method });
    throw Object.assign(new Error(message), { code: 4200 });
  }
}
