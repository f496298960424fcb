import { z } from 'zod';
import { read } from '../support/repository.ts';

const record = z.record(z.string(), z.string());
const manifest = z
  .object({ dependencies: record, optionalDependencies: record })
  .parse(JSON.parse(read('package.json')));
const page = read('docs/reference/dependencies.md');

/** The rows of the page below a heading, as cells without padding. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}

const named = z.object({ version: z.string(), license: z.string() });
const installed = (name: string) => named.parse(JSON.parse(read(`node_modules/${name}/package.json`)));

describe('docs/reference/dependencies.md', () => {
  it.each([
    ['In production', manifest.dependencies],
    ['Optional: local chains and the embedded database', manifest.optionalDependencies],
  ])('%s: names exactly the packages of package.json, with the licence of each', (heading, packages) => {
    const rows = rowsBelow(heading).map(([name, licence]) => [name, licence]);
    const names = Object.keys(packages).toSorted();
    expect(rows).toEqual(names.map((name) => [`\`${name}\``, installed(name).license]));
  });

  it('says the use of each', () => {
    const rows = rowsBelow('In production');
    expect(rows.filter(([, , use]) => use === '' || use === undefined)).toEqual([]);
  });

  it('names the installed major of what is held back', () => {
    const rows = rowsBelow('Majors that are held back');
    for (const [name = '', major] of rows) {
      expect([name, major]).toEqual([name, installed(name.replaceAll('`', '')).version.split('.')[0]]);
    }
  });
});
