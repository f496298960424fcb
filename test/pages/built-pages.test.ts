import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBuiltPages } from '../../src/pages/built-pages.ts';
import { temporaryFolder } from '../runner/after.ts';

it('preloads each chunk of a page once, the deepest first, also chunks that import each other', async () => {
  const folder = await temporaryFolder();
  for (const name of ['assets', 'messages', 'docs']) await mkdir(join(folder, name));
  for (const name of ['embed.js', 'embed.js.gz', 'embed.js.br']) await writeFile(join(folder, name), '');
  const chunk = (name: string, ...imports: string[]) => ({ [name]: { file: `assets/${name}`, imports } });
  const page = { file: 'assets/main.js', isEntry: true, imports: ['one.js', 'two.js'] };
  const manifest = { 'staff/main.tsx': page, ...chunk('one.js', 'two.js'), ...chunk('two.js', 'one.js', 'deep.js') };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, ...chunk('deep.js') }));
  const { entry } = await readBuiltPages(folder);
  expect(entry('staff')).toEqual({ script: 'main.js', styles: [], preloads: ['deep.js', 'two.js', 'one.js'] });
});
