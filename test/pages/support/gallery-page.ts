import { basename, join } from 'node:path';
import { build } from 'vite';
import { commonConfig, intoFolder } from '../../../scripts/build/web/bundle.ts';
import { packageRoot } from '../../../src/package/root.ts';
import { shellPage } from '../../../src/pages/shell.ts';
import { temporaryFolder } from '../../runner/after.ts';
import { CHROMIUM, Chromium, type VisitOptions } from '../../support/browser.ts';

const ENTRY = { script: 'gallery.js', styles: ['gallery.css'], preloads: [] } as const;

/** The page with every component of `web/ui/`, for the tests of one file. */
export async function galleryPage() {
  const chromium = new Chromium();
  const folder = await temporaryFolder();

  beforeAll(async () => {
    if (CHROMIUM !== null) await bundleGallery(folder);
  }, 120_000);

  return async (direction: 'ltr' | 'rtl', options: VisitOptions = {}) => {
    const visit = await chromium.visit(options);
    const body = shellPage({ title: 'Specimens', entry: ENTRY, toRoot: '.', language: { tag: 'en', direction } });
    await visit.page.route('http://localhost/**', (route) => {
      const file = basename(new URL(route.request().url()).pathname);
      if (file === '') return route.fulfill({ contentType: 'text/html', body });
      return route.fulfill({ path: join(folder, 'assets', file) });
    });
    await visit.page.goto('http://localhost/');
    await visit.page.getByRole('heading', { name: 'Specimens' }).waitFor();
    return visit;
  };
}

/** Into `assets/gallery.js` and `assets/gallery.css`. */
async function bundleGallery(outDir: string): Promise<void> {
  await build({
    ...commonConfig(join(packageRoot(), 'web')),
    build: {
      ...intoFolder(outDir),
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(packageRoot(), 'test/pages/gallery/gallery.tsx'),
        output: { entryFileNames: 'assets/gallery.js', assetFileNames: 'assets/gallery[extname]' },
      },
    },
  });
}
