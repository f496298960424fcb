/** A moment in the reader's time zone and language. */
export function momentText(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

export function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{momentText(at)}</time>;
}
