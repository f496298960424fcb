/** The call of a sample with curl, also after an edit, with its path below `/v1`; null: it has lost its form. */
export function requestOf(curl: string) {
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
