import { WhenLoaded } from '../../ui/load-failed.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import type { Payment, Subscription } from '../merchant-api.ts';
import { hrefOf, labelOf, type Mode } from '../route.ts';
import { WithNames } from './columns.tsx';

const MOST = 10;

interface Lists {
  readonly subscriptions: Subscription;
  readonly payments: Payment;
}

export interface LatestProps<List extends keyof Lists> {
  readonly mode: Mode;
  readonly list: List;
  /** The filter of the list, by its name in the API and in the address. */
  readonly of: { readonly [name: string]: string };
  readonly columns: Columns<Lists[List]>;
  readonly empty: string;
}

/** The newest items of a list on the page of what they belong to, with the way to all of them. */
export function Latest<List extends keyof Lists>({ mode, list, of, columns, empty }: LatestProps<List>) {
  const query = new URLSearchParams({ ...of, limit: String(MOST) });
  const loaded = useLoad<{ readonly [L in List]: readonly Lists[L][] }>(`/${mode}/${list}?${query}`);
  return (
    <section class="stack">
      <div class="spread">
        <h2>{labelOf(list)}</h2>
        <a href={hrefOf(mode, list, null, of)}>All, with filters and CSV</a>
      </div>
      <WhenLoaded loaded={loaded}>
        {(answer) => (
          <WithNames mode={mode} rows={answer[list]}>
            <Table caption={labelOf(list)} isFolding {...{ columns, empty }} rows={answer[list]} />
          </WithNames>
        )}
      </WhenLoaded>
    </section>
  );
}
