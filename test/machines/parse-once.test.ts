import { z } from 'zod';
import { parseOnce } from '../../machines/parse-once.ts';

/** A parser, and the values that its schema has read. */
function counted() {
  const read: unknown[] = [];
  const schema = z
    .strictObject({ name: z.string() })
    .refine((value) => read.push(value) > 0)
    .transform(({ name }) => ({ name: name.trim() }));
  return { parser: parseOnce(schema), read };
}

describe('a value that is parsed once', () => {
  it('is not read again, and neither is the result', () => {
    const { parser, read } = counted();
    const stored = { name: ' a ' };
    const parsed = parser.parse(stored);
    expect(parsed).toEqual({ name: 'a' });
    expect(parser.parse(stored)).toBe(parsed);
    expect(parser.parse(parsed)).toBe(parsed);
    const made = { name: ' b ' };
    expect(parser.parse(parser.trust(made))).toBe(made);
    expect(read).toHaveLength(1);
  });

  it('is read once for each parser, and each object', () => {
    const [one, other] = [counted(), counted()];
    const stored = { name: 'a' };
    other.parser.parse(one.parser.parse(stored));
    one.parser.parse({ ...stored });
    expect([one.read.length, other.read.length]).toEqual([2, 1]);
  });

  it('is refused each time if it does not fit', () => {
    const { parser } = counted();
    const wrong = { name: 1 };
    expect(() => parser.parse(wrong)).toThrow('expected string');
    expect(() => parser.parse(wrong)).toThrow('expected string');
    expect(() => parser.parse(null)).toThrow('expected object');
  });
});
