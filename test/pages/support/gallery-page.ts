import { basename, join } from 'node:path';
import { bundleGallery } from '../../../scripts/build/web/bundle.ts';
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
    if (CHROMIUM !== null) await bundleGallery(join(packageRoot(), 'web'), folder);
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
