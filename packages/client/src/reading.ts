const EXCERPT = 200;

/** The message of the API's error shape, else the beginning of the text; null for an empty answer. */
export function messageIn(said: unknown): string | null {
  if (typeof said === 'object' && said !== null && 'error' in said && typeof said.error === 'string') return said.error;
  const text = typeof said === 'string' ? said.trim() : '';
  return text === '' ? null : text.slice(0, EXCERPT);
}

/**
 * Why no answer came. `fetch` reports `fetch failed` and keeps the reason in the cause; with several addresses, each
 * has a reason.
 */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.map(causeOf).join(', ');
  return error.cause === undefined ? error.message : causeOf(error.cause);
}

/** A header with whole seconds. */
export function secondsIn(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null;
}

/** `X-Ignored-Fields`: names separated by commas, percent-encoded (docs/rules.md, "Errors"). */
export function namesIn(header: string | null): string[] {
  return (header ?? '')
    .split(',')
    .map((name) => decoded(name.trim()))
    .filter((name) => name !== '');
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
