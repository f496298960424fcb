import config from './jest.config.js';

/** `npm test`: all but the files that `npm test -- --long` and `npm run prove -- all` run. */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default { ...config, testPathIgnorePatterns: ['/node_modules/', '\\.(long|full)\\.test\\.ts$'] };
