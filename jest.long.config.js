import config from './jest.config.js';

/** `npm test -- --long`: the files that `npm test` leaves out, because each takes 10 seconds or more. */
// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default { ...config, testMatch: ['<rootDir>/test/**/*.long.test.ts'] };
