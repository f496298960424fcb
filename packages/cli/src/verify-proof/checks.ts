export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The found value; if it is wrong, the expected one too. */
  readonly said: string;
}

/** Compares `expected` and `found` as text; hex may be in either case. */
export function same(name: string, expected: string | number, found: string | number | null | undefined): Check {
  const [one, other] = [String(expected), String(found ?? 'nothing')];
  const ok = plain(one) === plain(other);
  return { name, ok, said: ok ? one : `${other}; expected ${one}` };
}

/** Joins several checks into one: the failed ones, or `right` if there are none. */
export function all(name: string, clauses: readonly Check[], right: string): Check {
  const wrong = clauses.filter(({ ok }) => !ok);
  return { name, ok: wrong.length === 0, said: wrong.length === 0 ? right : wrong.map(spoken).join('; ') };
}

export function confirmed(since: number, signed: number): Check {
  return { name: 'confirmations', ok: since >= signed, said: `${since}; ${signed} when it was signed` };
}

function spoken({ name, said }: Check): string {
  return `${name}: ${said}`;
}

function plain(text: string): string {
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text;
}
