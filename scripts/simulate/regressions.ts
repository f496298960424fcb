/** Seeds that once led to a violation, and what it was. Each is run again by `npm test`. */
export const REGRESSIONS: readonly { readonly seed: number; readonly was: string }[] = [];
