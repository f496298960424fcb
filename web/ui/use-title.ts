import { useEffect } from 'preact/hooks';

/** Names the page after its present content, the most specific part first, for tabs, histories and screen readers. */
export function useTitle(...parts: readonly string[]): void {
  const title = parts.join(' – ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
