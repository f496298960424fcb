/** One thing that was checked. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found; where it is not right, what was expected too. */
  readonly said: string;
}

/** Whether something is as it has to be. `expected` and `found` are compared as text, hex in either case. */
export function same(name: string, expected: string | number, found: string | number | null | undefined): Check {
  const [one, other] = [String(expected), String(found ?? 'nothing')];
  const ok = plain(one) === plain(other);
  return { name, ok, said: ok ? one : `${other}; expected ${one}` };
}

/** All of several clauses in one line: what is wrong of them, else `right`. */
export function all(name: string, clauses: readonly Check[], right: string): Check {
  const wrong = clauses.filter(({ ok }) => !ok);
  return { name, ok: wrong.length === 0, said: wrong.length === 0 ? right : wrong.map(spoken).join('; ') };
}

function spoken({ name, said }: Check): string {
  return `${name}: ${said}`;
}

function plain(text: string): string {
  return /^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text;
}
