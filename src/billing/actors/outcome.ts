import type { Engine } from '../../engine/engine.ts';

/**
 * How long a request waits for an outcome before it answers with the present state (docs/rules.md, "Payments": POST).
 */
const OUTCOME_WAIT_MS = 25_000;

/** The time until which a request that begins now waits for an outcome (`Engine.elapsed`). */
export function outcomeDeadline(engine: Pick<Engine, 'elapsed'>): number {
  return engine.elapsed() + OUTCOME_WAIT_MS;
}
