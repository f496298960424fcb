import type { z } from 'zod';
import type { whoamiSchema } from '../../src/staff/access/session-endpoints.ts';
import type { diagramSchema, stepsSchema } from '../../src/staff/inspect/endpoints.ts';
import type { troubleSchema } from '../../src/staff/inspect/front-endpoints.ts';
import type { inspectionSchema } from '../../src/staff/inspect/inspection.ts';
import type { resultSchema } from '../../src/staff/inspect/search.ts';
import type { whatIfSchema } from '../../src/staff/inspect/what-if-endpoint.ts';
import type { Diagram, Inspection, SearchResult, Session, Steps, Trouble, WhatIf } from '../../web/staff/types.ts';

/** What the console reads of the staff API, held against what that says that it answers, as in `api-types.ts`. Nothing runs. */
export function sessionIsAsRead(answer: z.output<typeof whoamiSchema>): Session {
  return answer;
}

export function searchResultIsAsRead(answer: z.output<typeof resultSchema>): SearchResult {
  return answer;
}

export function troubleIsAsRead(answer: z.output<typeof troubleSchema>): Trouble {
  return answer;
}

export function diagramIsAsRead(answer: z.output<typeof diagramSchema>): Diagram {
  return answer;
}

export function inspectionIsAsRead(answer: z.output<typeof inspectionSchema>): Inspection {
  return answer;
}

export function stepsAreAsRead(answer: z.output<typeof stepsSchema>): Steps {
  return answer;
}

export function whatIfIsAsRead(answer: z.output<typeof whatIfSchema>): WhatIf {
  return answer;
}
