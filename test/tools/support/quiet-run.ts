import type { BenchRun, Progress } from '../../../tools/bench/bench.ts';

/** A small run of a benchmark that shows nothing, except to `progress`. */
export function quietRun(progress: Partial<Progress> = {}, signal = new AbortController().signal): BenchRun {
  return { size: 'quick', asked: null, progress: { step: () => {}, found: () => {}, ...progress }, signal };
}
