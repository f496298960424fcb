import { WhenLoaded } from '../../ui/load-failed.tsx';
import { type Columns, Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { type Naming, WithNames } from './columns.tsx';

const MOST = 10;

export interface LatestProps<Answer, Row> {
  readonly mode: Mode;
  readonly list: 'subscriptions' | 'payments';
  readonly title: string;
  /** The filter of the list, by its name in the API and in the address. */
  readonly of: { readonly [name: string]: string };
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly columns: Columns<Row>;
  readonly empty: string;
}

/** The newest items of a list on the page of what they belong to, with the way to all of them. */
export function Latest<Answer extends { readonly hasMore: boolean }, Row extends Naming & { readonly id: string }>(
  props: LatestProps<Answer, Row>,
) {
  const { mode, list, title, of, rowsOf, columns, empty } = props;
  const query = new URLSearchParams({ ...of, limit: String(MOST) });
  const loaded = useLoad<Answer>(`/${mode}/${list}?${query}`);
  return (
    <section class="stack">
      <div class="spread">
        <h2>{title}</h2>
        <a href={hrefOf(mode, list, null, of)}>All, with filters and CSV</a>
      </div>
      <WhenLoaded loaded={loaded}>
        {(answer) => (
          <WithNames mode={mode} rows={rowsOf(answer)}>
            <Table caption={title} isFolding {...{ columns, empty }} rows={rowsOf(answer)} />
          </WithNames>
        )}
      </WhenLoaded>
    </section>
  );
}
