import { useEffect } from 'preact/hooks';
import type { SearchResult } from '../../../src/staff/wire.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { SearchForm } from '../../ui/search-form.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useLoad } from '../api.ts';
import { go, hrefOf, route, searchHref } from '../route.ts';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { momentText } from '../shared/words.ts';

/** The field of every page. */
export function StaffSearch() {
  const sought = useSelector(route, (context) => (context.route.page === 'search' ? context.route.q : null));
  return (
    <SearchForm
      label="Search by id, wallet, transaction, or the beginning of a name, email or reference"
      placeholder="Id, wallet, transaction, name, email, reference"
      sought={sought}
      onSearch={(q) => go(searchHref(q))}
    />
  );
}

/** The results. A single result with a page is opened at once. */
export function SearchPage({ q }: { readonly q: string }) {
  const loaded = useLoad<{ readonly results: readonly SearchResult[] }>(
    q === '' ? null : `/search?q=${encodeURIComponent(q)}`,
  );
  const { value, error } = loaded;
  useStaffTitle(error ?? (value === null ? `Searching for ${q}` : `${foundText(value.results)} for ${q}`));
  const inspectable = value?.results.filter(({ isInspectable }) => isInspectable) ?? [];
  const [only] = inspectable;
  const isOne = value?.results.length === 1 && only !== undefined;
  useEffect(() => {
    if (isOne) location.replace(hrefOf(only.kind, only.id) ?? '#/');
  }, [isOne, only]);
  if (error !== null) return <LoadFailed loaded={loaded} />;
  const results = value === null || isOne ? null : value.results;
  return (
    <section class="stack">
      <StatusRegion>
        {results === null ? (
          <p class="soft">Searching…</p>
        ) : (
          <h1>
            {foundText(results)} for <code>{q}</code>
          </h1>
        )}
      </StatusRegion>
      {results !== null && <Results results={results} />}
    </section>
  );
}

function foundText({ length }: readonly SearchResult[]): string {
  return length === 0 ? 'Nothing found' : `${length} found`;
}

function Results({ results }: { readonly results: readonly SearchResult[] }) {
  return (
    <>
      {results.length === 0 && (
        <Notice>
          Searched for ids of every kind, wallets, transactions and idempotency keys, and for names, email addresses and
          references that begin so. A transaction that is not found here has no charge of this service.
        </Notice>
      )}
      <ul class="plain-list stack">
        {results.map((result) => (
          <Result key={`${result.kind} ${result.id}`} result={result} />
        ))}
      </ul>
    </>
  );
}

function Result({ result }: { readonly result: SearchResult }) {
  const { kind, id, isInspectable, title, status, mode, why, createdAt } = result;
  const href = isInspectable ? hrefOf(kind, id) : null;
  return (
    <li class="card" data-result={kind}>
      <div class="spread">
        <strong>{href === null ? title : <a href={href}>{title}</a>}</strong>
        <span class="row">
          <Badge>{kind}</Badge>
          {status !== null && <Badge tone={toneOf(status)}>{status}</Badge>}
          {mode === 'live' && <Badge tone="accent">live</Badge>}
        </span>
      </div>
      <p class="small soft">
        <Copyable text={id} isShort /> · found by {why} · {momentText(createdAt)}
      </p>
    </li>
  );
}
