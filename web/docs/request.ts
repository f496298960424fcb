/** A call of the API, as a sample with curl has it. */
export interface SampleRequest {
  readonly method: string;
  /** Below `/v1`, with the query: `/offers?limit=20`. */
  readonly path: string;
  /** JSON; null: none. */
  readonly body: string | null;
}

/** The call of a sample with curl, also after an edit; null: it has lost its form. */
export function requestOf(curl: string): SampleRequest | null {
  const [, method = 'GET', path] = /^curl (?:-X ([A-Z]+) )?'[^']*?\/v1(\/[^']*)'/.exec(curl.trim()) ?? [];
  const [, body] = / -d '([\s\S]*)'$/.exec(curl.trim()) ?? [];
  return path === undefined ? null : { method, path, body: body?.replaceAll(`'\\''`, "'") ?? null };
}

/** Where a session of the dashboard makes a call in test mode; null: that would be outside of the sandbox. */
export function testAddress(root: string, path: string): string | null {
  const base = `${root}/dashboard/api/test/`;
  const { href } = new URL(path.slice(1), base);
  return href.startsWith(base) ? href : null;
}
