import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { go, route, searchHref } from '../route.ts';

/** Present on every page; `/` focuses it. */
export function SearchForm() {
  const sought = useSelector(route, (context) => (context.route.page === 'search' ? context.route.q : null));
  const [q, setQ] = useState(sought ?? '');
  useEffect(() => {
    if (sought !== null) setQ(sought);
  }, [sought]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      document.getElementById('search')?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, []);
  return (
    <search>
      <form
        class="search-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (q.trim() !== '') go(searchHref(q.trim()));
        }}
      >
        <label for="search" class="visually-hidden">
          Search by id, wallet, transaction, or the beginning of a name, email or reference
        </label>
        <input
          id="search"
          type="search"
          value={q}
          placeholder="Id, wallet, transaction, name, email, reference"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setQ(event.currentTarget.value)}
        />
        <Button type="submit" size="small" variant="primary">
          Search
        </Button>
      </form>
    </search>
  );
}
