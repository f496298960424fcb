import { objectsIn } from './known.ts';

/** A merchant in one environment. */
export interface Tenant {
  readonly merchantId: string;
  readonly mode: 'test' | 'live';
}

export function tagOf({ merchantId, mode }: Tenant): string {
  return `${merchantId} (${mode})`;
}

/** Fields with a merchant's own text, which may have the form of an id. */
const OWN_TEXTS: ReadonlySet<string> = new Set(['merchantReferenceId', 'affiliatePartnerId']);
const ID = /\b(?:offer|price|cust|wal|pay|ref|evt|sub|cpn)_[0-9a-z]{26}\b/g;

/** The owner of each id, as answers have shown. */
export class Owners {
  readonly #tenants = new Map<string, string>();

  /** Everything in a successful answer becomes this tenant's, if it is nobody's yet. Returns what is another's. */
  claim(body: unknown, tenant: Tenant): string[] {
    const tag = tagOf(tenant);
    return objectsIn(body)
      .filter(isAccepted)
      .flatMap((each) =>
        Object.entries(each).flatMap(([field, value]) => {
          if (field === 'merchantId' && value !== tenant.merchantId) return [`an object of ${String(value)}`];
          if (field === 'isSandbox' && value !== (tenant.mode === 'test')) return [`isSandbox is ${String(value)}`];
          if (OWN_TEXTS.has(field) || !/id$/i.test(field) || typeof value !== 'string' || !isId(value)) return [];
          const owner = this.#tenants.get(value) ?? tag;
          this.#tenants.set(value, owner);
          return owner === tag ? [] : [`${field} ${value} belongs to ${owner}`];
        }),
      );
  }

  othersIn(text: string, tenant: Tenant): string[] {
    const tag = tagOf(tenant);
    return (text.match(ID) ?? []).filter((id) => (this.#tenants.get(id) ?? tag) !== tag);
  }

  /** null: no known owner. */
  ownerOf(id: string): string | null {
    return this.#tenants.get(id) ?? null;
  }
}

function isId(text: string): boolean {
  return text.match(ID)?.[0] === text;
}

/** False for the part of a batch that was refused. */
function isAccepted(part: object): boolean {
  return !('status' in part) || typeof part.status !== 'number' || part.status < 300;
}
