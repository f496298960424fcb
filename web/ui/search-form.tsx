import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';

export interface SearchFormProps {
  readonly label: string;
  readonly placeholder: string;
  /** What the page shows the results of; null: another page is open. */
  readonly sought: string | null;
  readonly onSearch: (q: string) => void;
}

/** Present on every page; `/` focuses it. */
export function SearchForm({ label, placeholder, sought, onSearch }: SearchFormProps) {
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
          if (q.trim() !== '') onSearch(q.trim());
        }}
      >
        <label for="search" class="visually-hidden">
          {label}
        </label>
        <input
          id="search"
          type="search"
          value={q}
          placeholder={placeholder}
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
