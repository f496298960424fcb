import { endOfLifeNotice } from '../../src/package/node-release.ts';

describe('a Node that gets no security fixes any more', () => {
  it('is named, with the version to move to', () => {
    expect(endOfLifeNotice('v20.20.2', new Date('2026-05-01T00:00:00Z'))).toBe(
      'Node 20 has had no security fixes since 2026-04-30. Tideline still runs on it; move to Node 24.',
    );
    expect(endOfLifeNotice('v25.1.0', new Date('2026-06-02T00:00:00Z'))).toContain('Node 25');
  });

  it.each([
    ['v20.19.0', '2026-04-30'],
    ['v22.20.0', '2026-11-27'],
    ['v24.21.0', '2026-11-27'],
    ['v30.0.0', '2031-01-01'],
  ])('%s on %s gets them', (version, today) => {
    expect(endOfLifeNotice(version, new Date(`${today}T12:00:00Z`))).toBeNull();
  });
});
