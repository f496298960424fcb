/** The kinds of ids, by prefix. */
const KINDS = {
  sub: 'subscription',
  pay: 'payment',
  dlv: 'delivery',
  evt: 'event',
  cust: 'customer',
  offer: 'offer',
  price: 'price',
  mrc: 'merchant',
  wal: 'wallet',
  dep: 'deposit',
} as const;

export type Kind = (typeof KINDS)[keyof typeof KINDS];

/** null: staff cannot search for ids of this kind. */
export function kindOfId(id: string): Kind | null {
  const prefix = id.slice(0, Math.max(0, id.indexOf('_')));
  return Object.entries(KINDS).find(([name]) => name === prefix)?.[1] ?? null;
}

/** Every prefix, for an id without one. */
export const PREFIXES: readonly string[] = Object.keys(KINDS);
