import { OWED, siegeLife } from './run.ts';

/** What hostile actors did in a seed, and what it changed for honest payers. */
export interface Siege {
  readonly acts: Readonly<Record<string, number>>;
  readonly honest: number;
  /** By how much hostile actors delayed an honest charge at most, milliseconds. */
  readonly delayMs: number;
  readonly violations: readonly string[];
}

/** A third of the seeds have hostile actors. */
export function isBesieged(seed: number): boolean {
  return seed % 3 === 0;
}

/** The same honest life, alone and beside hostile actors. Nothing else fails, so they caused what differs. */
export async function besiege(seed: number, show: ((line: string) => void) | null): Promise<Siege> {
  const alone = await siegeLife(seed, false, show);
  const beside = await siegeLife(seed, true, show);
  const violations = [...alone.violations, ...beside.violations];
  let delayMs = 0;
  for (const [charge, expected] of alone.delays) {
    const found = beside.delays.get(charge);
    if (found === undefined) violations.push(`hostile actors stopped ${charge}`);
    else delayMs = Math.max(delayMs, found - expected);
  }
  if (delayMs > beside.boundMs) {
    violations.push(`hostile actors delayed a charge by ${delayMs} ms; at most ${beside.boundMs} are allowed`);
  }
  if (!beside.hasHostileToken && beside.harmed.length > 0) {
    violations.push(`hostile wallets spent the gas of these charges: ${beside.harmed.join()}`);
  }
  const honest = alone.delays.size;
  if (honest < OWED) violations.push(`${OWED} charges are owed, but ${honest} were made although nobody was hostile`);
  return { acts: beside.acts, honest, delayMs, violations: violations.map((violation) => `siege: ${violation}`) };
}
