import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Names } from '../../../src/dashboard/wire.ts';
import { shortened } from '../../pay/words.ts';
import { Clipped } from '../../ui/clipped.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { useLoad } from '../dashboard-api.ts';
import { hrefOf, type Mode } from '../route.ts';

/** What a row of a list names by ids. */
export interface Naming {
  readonly customerId?: string | null;
  readonly offerId?: string | null;
}

/** null: on their way. */
const Known = createContext<Names['names'] | null>(null);

interface WithNamesProps {
  readonly mode: Mode;
  readonly rows: readonly Naming[];
  readonly children: ComponentChildren;
}

/** Gets the names of the customers and offers of these rows, for `Named` inside. */
export function WithNames({ mode, rows, children }: WithNamesProps) {
  const all = rows.flatMap(({ customerId, offerId }) => [customerId ?? [], offerId ?? []].flat());
  const ids = [...new Set(all)].sort().join(',');
  const loaded = useLoad<Names>(ids === '' ? null : `/names${queryOf({ mode, ids })}`);
  return <Known.Provider value={loaded.value?.names ?? (loaded.error === null ? null : {})}>{children}</Known.Provider>;
}

interface NamedProps {
  readonly mode: Mode;
  readonly page: 'customers' | 'offers' | 'subscriptions';
  readonly id: string;
}

/** A link with the name, or with the beginning and the end of the id. */
export function Named({ mode, page, id }: NamedProps) {
  return <Clipped text={useNameOf()(id)} href={hrefOf(mode, page, id)} />;
}

/** The name for an id in a `WithNames`; while it is on its way, dots. */
export function useNameOf(): (id: string) => string {
  const known = useContext(Known);
  return (id) => (known === null ? '…' : (known[id] ?? shortened(id)));
}
