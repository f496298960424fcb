import { Possessions } from './possessions.ts';

/** A merchant in one environment. */
export interface Tenant {
  readonly merchantId: string;
  readonly mode: 'test' | 'live';
}

/** What of others must never be seen, and what may be named by those whom it does not belong to. */
export interface Others {
  /** Texts that nobody but their owner has ever sent: ids, names, addresses, keys. */
  readonly secrets: readonly string[];
  readonly known: Possessions;
  readonly knownAddresses: readonly string[];
}

/** To whom each id belongs, as far as answers have told. */
export class Owners {
  readonly #tenants = new Map<string, string>();
  readonly #unread = new Map<string, number>();

  /** False: it belongs to another. What nobody is known to own becomes the tenant's. */
  claim(id: string, tenant: Tenant): boolean {
    const tag = tagOf(tenant);
    const known = this.#tenants.get(id);
    if (known === undefined) this.#tenants.set(id, tag);
    return known === undefined || known === tag;
  }

  /**
   * Notes a request whose body has no length. HTTP takes it as a request without a body, and bytes behind it. The service
   * carries out the request, and the only answer may be the refusal of the bytes.
   */
  noteUnread(tenant: Tenant): void {
    const tag = tagOf(tenant);
    this.#unread.set(tag, (this.#unread.get(tag) ?? 0) + 1);
  }

  /** True, once for each noted request: the tenant may have made something without an answer that names it. */
  takeUnread(tag: string): boolean {
    const left = this.#unread.get(tag) ?? 0;
    this.#unread.set(tag, Math.max(0, left - 1));
    return left > 0;
  }

  /** null: nobody is known to own it. */
  ownerOf(id: string): string | null {
    return this.#tenants.get(id) ?? null;
  }
}

export function tagOf({ merchantId, mode }: Tenant): string {
  return `${merchantId} (${mode})`;
}

/** What two tenants have together: what a third could name. */
export function together(one: Possessions, other: Possessions): Possessions {
  const both = new Possessions();
  both.offers = [...one.offers, ...other.offers];
  both.prices = [...one.prices, ...other.prices];
  both.customers = [...one.customers, ...other.customers];
  both.subscriptions = [...one.subscriptions, ...other.subscriptions];
  both.payments = [...one.payments, ...other.payments];
  both.keys = [...one.keys, ...other.keys];
  both.events = [...one.events, ...other.events];
  both.wallets = [...one.wallets, ...other.wallets];
  return both;
}
