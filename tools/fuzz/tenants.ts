import type { Possessions } from './possessions.ts';

/** A merchant in one environment. */
export interface Tenant {
  readonly merchantId: string;
  readonly mode: 'test' | 'live';
}

/** Data of other tenants: texts that nobody else may see, and ids that others may guess. */
export interface Others {
  /** Texts that only their owner has ever sent: ids, names, addresses, keys. */
  readonly secrets: readonly string[];
  readonly known: Possessions;
  readonly knownAddresses: readonly string[];
}

/** The owner of each id, as answers have shown. */
export class Owners {
  readonly #tenants = new Map<string, string>();
  readonly #unread = new Map<string, number>();

  /** False: the id belongs to another tenant. An unknown id becomes this tenant's. */
  claim(id: string, tenant: Tenant): boolean {
    const tag = tagOf(tenant);
    const known = this.#tenants.get(id);
    if (known === undefined) this.#tenants.set(id, tag);
    return known === undefined || known === tag;
  }

  /**
   * Notes a request whose body has no length. HTTP takes it as a request without a body, and bytes behind it. The
   * service carries out the request, and the only answer may be the refusal of the bytes.
   */
  noteUnread(tenant: Tenant): void {
    const tag = tagOf(tenant);
    this.#unread.set(tag, (this.#unread.get(tag) ?? 0) + 1);
  }

  /** True, once for each noted request: the tenant may own a resource that no answer named. */
  takeUnread(tag: string): boolean {
    const left = this.#unread.get(tag) ?? 0;
    this.#unread.set(tag, Math.max(0, left - 1));
    return left > 0;
  }

  /** null: no known owner. */
  ownerOf(id: string): string | null {
    return this.#tenants.get(id) ?? null;
  }
}

export function tagOf({ merchantId, mode }: Tenant): string {
  return `${merchantId} (${mode})`;
}
