import { z } from 'zod';

const output = z.object({
  results: z.object({
    detectors: z
      .array(z.object({ check: z.string(), elements: z.array(z.object({ name: z.string() })).min(1) }))
      .default([]),
  }),
});

/** What Slither has found: `detector name`, each once, sorted. The name is that of a function or a variable. */
export function findingsIn(json: string): string[] {
  const { results } = output.parse(JSON.parse(json));
  return distinct(results.detectors.map(({ check, elements }) => `${check} ${elements[0]?.name}`));
}

/** The findings that the security review answers: the rows of its table of Slither's detectors. */
export function answeredIn(review: string): string[] {
  const rows = review.matchAll(/^\| `([a-z-]+)` +\| (`\w+`(?:, `\w+`)*) +\| \S/gm);
  return distinct(
    [...rows].flatMap(([, check, names]) => [...(names ?? '').matchAll(/\w+/g)].map(([name]) => `${check} ${name}`)),
  );
}

function distinct(findings: readonly string[]): string[] {
  return [...new Set(findings)].sort();
}
