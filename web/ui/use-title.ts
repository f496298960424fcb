import { useLayoutEffect } from 'preact/hooks';

/**
 * Names the page after its present content, the most specific part first, for tabs, histories and screen readers. The
 * title changes together with the content, so whoever sees the new content finds its title.
 */
export function useTitle(...parts: readonly string[]): void {
  const title = parts.join(' – ');
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
}
