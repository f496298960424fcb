import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest asks for one.
export default defineConfig({
  resolve: { alias: [{ find: /^tideline\/client$/, replacement: join(import.meta.dirname, 'src/client/index.ts') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/compile-once.ts',
    setupFiles: 'test/support/setup-file.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Processes that load once what test files import, and keep it for the files that follow: to load it anew for each was half
    // of what a file without processes of its own cost. Files must not change what is global, then.
    pool: 'forks',
    isolate: false,
    // One more than the cores of CI: many tests wait for chains.
    maxWorkers: 3,
    // Tests that take longer than this have a line of their own in the report.
    slowTestThreshold: 10_000,
    // Hooks run in the order in which they are written, those that clean up too.
    sequence: { hooks: 'list' },
  },
});
