import { SecretBox, SecretUnreadable } from '../../src/webhooks/secret-box.ts';

const [old, present] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const SECRET = 'whsec_dGVzdA==';

describe('a stored signing secret', () => {
  it('opens with the key that sealed it, also once that is retired, and is another text each time', () => {
    const before = new SecretBox({ present: old, retired: [] });
    const after = new SecretBox({ present, retired: [old] });
    const stored = before.seal(SECRET, 'mer_1');
    expect(stored).toMatch(/^sealed:[0-9a-f]{8}:[\w-]+$/);
    expect(before.seal(SECRET, 'mer_1')).not.toBe(stored);
    expect(after.open(stored, 'mer_1')).toBe(SECRET);
    expect(after.open(after.seal(SECRET, 'mer_1'), 'mer_1')).toBe(SECRET);
    expect([before.isOutdated(stored), after.isOutdated(stored), after.isOutdated(SECRET)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('is opened as it is if it was stored without a key, and stored so without one', () => {
    const without = new SecretBox(null);
    expect(without.seal(SECRET, 'mer_1')).toBe(SECRET);
    expect(without.isOutdated(SECRET)).toBe(false);
    expect(without.isOutdated(new SecretBox({ present, retired: [] }).seal(SECRET, 'mer_1'))).toBe(true);
    expect(new SecretBox({ present, retired: [] }).open(SECRET, 'mer_1')).toBe(SECRET);
  });

  it('does not open without its key: the error names the key, and no secret', () => {
    const stored = new SecretBox({ present: old, retired: [] }).seal(SECRET, 'mer_1');
    const [, id = ''] = stored.split(':');
    for (const box of [new SecretBox(null), new SecretBox({ present, retired: [] })]) {
      expect(() => box.open(stored, 'mer_1')).toThrow(SecretUnreadable);
      expect(() => box.open(stored, 'mer_1')).toThrow(
        `A webhook secret of mer_1 is encrypted with the key ${id}; this process has`,
      );
    }
  });

  it('does not open if it was changed, or stored for another merchant', () => {
    const box = new SecretBox({ present, retired: [] });
    const stored = box.seal(SECRET, 'mer_1');
    const at = stored.length - 8;
    const changed = `${stored.slice(0, at)}${stored[at] === 'A' ? 'B' : 'A'}${stored.slice(at + 1)}`;
    expect(() => box.open(changed, 'mer_1')).toThrow('was changed in the database');
    expect(() => box.open(stored, 'mer_2')).toThrow("or is another merchant's");
    const damaged = [stored.slice(0, 30), `${stored}=`, stored.slice(0, 15), stored.replace('sealed', 'sealed2'), ''];
    for (const text of damaged) expect(() => box.open(text, 'mer_1')).toThrow(SecretUnreadable);
  });
});
