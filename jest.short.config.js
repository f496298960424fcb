import config from './jest.config.js';

/** `npm test`: all but the long files, which `npm test -- --long` runs. */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default { ...config, testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'] };
