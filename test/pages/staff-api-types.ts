import type { whoamiSchema } from '../../src/staff/access/session-endpoints.ts';
import type { diagramSchema, stepsSchema } from '../../src/staff/inspect/endpoints.ts';
import type { troubleSchema } from '../../src/staff/inspect/front-endpoints.ts';
import type { inspectionSchema } from '../../src/staff/inspect/inspection.ts';
import type { resultSchema } from '../../src/staff/inspect/search.ts';
import type { whatIfSchema } from '../../src/staff/inspect/what-if-endpoint.ts';
import type { Diagram, Inspection, SearchResult, Session, Steps, Trouble, WhatIf } from '../../web/staff/types.ts';
import type { ReadAs } from './support/read-as.ts';

/** What the console reads of the staff API, held against what that says that it answers. Nothing runs. */
export type StaffAnswers = [
  ReadAs<Session, typeof whoamiSchema>,
  ReadAs<SearchResult, typeof resultSchema>,
  ReadAs<Trouble, typeof troubleSchema>,
  ReadAs<Diagram, typeof diagramSchema>,
  ReadAs<Inspection, typeof inspectionSchema>,
  ReadAs<Steps, typeof stepsSchema>,
  ReadAs<WhatIf, typeof whatIfSchema>,
];
