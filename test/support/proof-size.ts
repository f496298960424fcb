/**
 * The size of a proof: `full` in `npm run prove`, which sets `TIDELINE_PROOF=full`, else `perPush`, so that `.ci/run`
 * ends within 25 minutes on two cores.
 */
export function sized(full: number, perPush: number): number {
  return process.env['TIDELINE_PROOF'] === 'full' ? full : perPush;
}
