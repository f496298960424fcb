import { createRequire } from 'node:module';

/** The token library, in the form that loads three times as fast. */
export const splToken: typeof import('@solana/spl-token') = createRequire(import.meta.url)('@solana/spl-token');
