import { useEffect } from 'preact/hooks';
import { Badge } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import { LoadFailed } from './load-failed.tsx';
import { hrefOf } from './route.ts';
import type { SearchResult } from './types.ts';
import { useLoad } from './use-load.ts';
import { momentText, toneOf } from './words.ts';

interface Found {
  readonly q: string;
  readonly results: readonly SearchResult[];
}

/** What was found. Where it is one thing that has a page, that page is shown at once. */
export function SearchPage({ q }: { readonly q: string }) {
  const loaded = useLoad<Found>(q === '' ? null : `/search?q=${encodeURIComponent(q)}`);
  const { value, error } = loaded;
  const inspectable = value?.results.filter(({ isInspectable }) => isInspectable) ?? [];
  const [only] = inspectable;
  const isOne = value?.results.length === 1 && only !== undefined;
  useEffect(() => {
    if (isOne) location.replace(hrefOf(only.kind, only.id) ?? '#/');
  }, [isOne, only]);
  if (error !== null) return <LoadFailed loaded={loaded} />;
  if (value === null || isOne) return <p class="soft">Searching…</p>;
  return (
    <section class="stack" aria-labelledby="found">
      <h1 id="found">
        {value.results.length === 0 ? 'Nothing found' : `${value.results.length} found`} for <code>{q}</code>
      </h1>
      {value.results.length === 0 && (
        <Notice>
          Looked for ids of every kind, wallets, transactions, email addresses, references and idempotency keys. A hash
          that no charge of ours has, is not ours.
        </Notice>
      )}
      <ul class="results">
        {value.results.map((result) => (
          <Result key={`${result.kind} ${result.id}`} result={result} />
        ))}
      </ul>
    </section>
  );
}

function Result({ result }: { readonly result: SearchResult }) {
  const { kind, id, isInspectable, title, status, mode, why, createdAt } = result;
  const href = isInspectable ? hrefOf(kind, id) : null;
  return (
    <li class="card result" data-result={kind}>
      <div class="spread">
        <strong>{href === null ? title : <a href={href}>{title}</a>}</strong>
        <span class="row">
          <Badge>{kind}</Badge>
          {status !== null && <Badge tone={toneOf(status)}>{status}</Badge>}
          {mode === 'live' && <Badge tone="accent">live</Badge>}
        </span>
      </div>
      <p class="small soft">
        <code>{id}</code> · found by {why} · {momentText(createdAt)}
      </p>
    </li>
  );
}
