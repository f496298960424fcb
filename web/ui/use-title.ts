import { useEffect } from 'preact/hooks';

/** Names the page by what it shows now, the most particular first: tabs, histories and screen readers say it. */
export function useTitle(...parts: readonly string[]): void {
  const title = parts.join(' – ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
