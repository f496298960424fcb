import { ROUTES, statusesOf } from '../../src/api/routes.ts';
import { REFERENCE } from './reference.ts';

describe('the table of routes', () => {
  it('has the methods, paths, roles, modes, limits and statuses of the reference', () => {
    const common = [400, 401, 429, 500, 503];
    const table = ROUTES.map((row) => {
      const { live, test } = row.limits;
      const limits = `${live.day} ${live.minute} ${test.day} ${test.minute}`;
      const own = statusesOf(row).filter((status) => !common.includes(status));
      return [`${row.method} ${row.path}`, row.role, row.mode, limits, own.join(' ')];
    });
    expect(table).toEqual(REFERENCE);
  });

  it.each(ROUTES.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'declares every parameter of %s',
    (_name, row) => {
      const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(row.endpoint.params.shape)).toEqual(inPath);
    },
  );

  it('has each method and path once, with a summary', () => {
    const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { endpoint } of ROUTES) expect(endpoint.summary).toMatch(/^[A-Z].*[^.]$/);
  });
});
