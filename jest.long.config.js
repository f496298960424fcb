import config from './jest.config.js';

const files = (kind) => `<rootDir>/test/**/*.${kind}.test.ts`;

/**
 * `npm test -- --long`: the files that `npm test` leaves out, because each takes 10 seconds or more. `npm run prove -- all` sets
 * `TIDELINE_PROOF=full`: then also the files that a push leaves out.
 */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default {
  ...config,
  testMatch: process.env.TIDELINE_PROOF === 'full' ? [files('long'), files('full')] : [files('long')],
};
