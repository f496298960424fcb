/** @type {import('jest').Config} */
const config = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: '<rootDir>/test/runner/compile-once.ts',
  globalTeardown: '<rootDir>/test/runner/delete-compiled.ts',
  testRunner: '<rootDir>/test/runner/run-file.ts',
  // tsx reads TypeScript: the `test` script starts Jest with `--import tsx`, and its workers take that over.
  transform: {},
  // Packages are shared by the files of a worker. By default Jest empties their objects when a file ends.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  testTimeout: 120_000,
  // One more than the cores of CI: many tests wait for chains.
  maxWorkers: 3,
  // Seconds. Files that take longer have their time in the report.
  slowTestThreshold: 10,
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  watchman: false,
};

// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default config;
