import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package/root.ts';

const WEB = join(packageRoot(), 'web');

/** Puts a page into its shell, and shows nothing by itself but the toasts. */
const NO_COMPONENT = 'mount.tsx';

const components = readdirSync(join(WEB, 'ui'))
  .filter((name) => name.endsWith('.tsx') && name !== NO_COMPONENT)
  .flatMap((file) => exportedBy(file).map((component) => [component, file] as const));

const shown = readdirSync(join(WEB, 'gallery'))
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => readFileSync(join(WEB, 'gallery', name), 'utf8'));

function exportedBy(file: string): string[] {
  const code = readFileSync(join(WEB, 'ui', file), 'utf8');
  const names = [...code.matchAll(/^export function ([A-Z]\w*)/gm)].map(([, name = '']) => name);
  if (names.length === 0)
    throw new Error(`web/ui/${file} exports no component; it needs none of JSX, or another place`);
  return names;
}

describe('the gallery', () => {
  it('knows the components', () => {
    expect(components.map(([component]) => component)).toEqual(
      expect.arrayContaining(['Button', 'TabPanel', 'Toasts']),
    );
    expect(readdirSync(join(WEB, 'ui'))).toContain(NO_COMPONENT);
  });

  // `mount` shows the toasts of every page, also here.
  it.each(components.filter(([component]) => component !== 'Toasts'))('shows %s', (component, file) => {
    const users = shown.filter(
      (code) => code.includes(`from '../ui/${file}'`) && new RegExp(`<${component}[\\s<>]`).test(code),
    );
    expect(users.length).toBeGreaterThan(0);
  });
});
