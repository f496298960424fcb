import { z } from 'zod';
import { addDays, periodAt } from '../../../machines/rules/period.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { activePath } from '../../engine/candidates.ts';
import { actorTime } from '../../engine/projection.ts';
import { conflict, invalid } from '../../errors/fault.ts';
import { answer } from '../../http/endpoint.ts';
import { flag, oneOf, queryInteger, timestamp } from '../../http/input/fields.ts';
import { staffEndpoint } from '../endpoint.ts';
import { whatIfSchema } from '../wire.ts';
import { asNewest, requireActor } from './inspection.ts';
import { differences } from './journal.ts';
import { waitsOf } from './waits.ts';
import { OUTCOMES, whatIf } from './what-if.ts';

/** The limit of `advance`: 800 days. */
const DAYS_MAX = 800;
const DAY_MS = 86_400_000;

function count(most: number) {
  return queryInteger(1, most, `must be between 1 and ${most}`).optional();
}

const query = z.object({
  months: count(26),
  days: count(DAYS_MAX),
  to: timestamp.optional(),
  outcome: oneOf(OUTCOMES).default('settles'),
  failures: count(100),
  authorizes: flag.prefault('false'),
});

export const whatIfSubscription = staffEndpoint({
  summary: 'Simulate a copy of a subscription until a moment, with chosen outcomes; nothing is changed',
  params: z.object({ subscriptionId: z.string() }),
  query,
  responses: { 200: whatIfSchema },
  errors: [404, 409],
  handle: async ({ params, query: asked, now: real }, deps) => {
    const stored = await requireActor(deps, 'subscription', params.subscriptionId);
    const { doc, unsound } = asNewest(stored);
    if (unsound !== null) throw conflict('Its machine cannot run it, so a copy cannot run either');
    const from = actorTime(real, doc.clockOffsetMs);
    const until = endOf(from, asked);
    const { outcome, failures = null, authorizes } = asked;
    const version = MACHINES.subscription.current;
    const before = { value: doc.value, context: doc.context };
    const { steps, state, now, stopped } = whatIf(version, before, from, { until, outcome, failures, authorizes });
    const id = activePath(version.machine, state.value)[0]?.id ?? '';
    return answer(200, {
      subscriptionId: doc._id,
      from,
      until,
      supposed: { outcome, failures, authorizes },
      steps: [...steps],
      end: {
        status: id.split('.')[0] ?? id,
        state: id,
        now,
        context: state.context,
        waits: waitsOf({ ...doc, ...state }, id),
      },
      changes: differences(before, state),
      stopped,
    });
  },
});

/**
 * The end of the run; two months by default. Throws 400 for more than one end, one in the past, and one too far away.
 */
function endOf(from: string, { months, days, to }: z.output<typeof query>): string {
  if ([months, days, to].filter((each) => each !== undefined).length > 1)
    throw invalid('months, days and to must not be combined');
  if (days !== undefined) return addDays(from, days);
  if (to === undefined) return periodAt(from, { unit: 'month', count: months ?? 2 }, 0).end;
  const until = to.toISOString();
  if (until <= from) throw invalid(`to must be after ${from}, which is now for this subscription`);
  if (Date.parse(until) - Date.parse(from) > DAYS_MAX * DAY_MS) throw invalid(`to must be within ${DAYS_MAX} days`);
  return until;
}
