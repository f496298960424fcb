import { z } from 'zod';
import type { Effect, FailureReason } from '../../../machines/effects.ts';
import { wouldTrip } from '../../../machines/rules/breaker.ts';
import { addDays, periodAt } from '../../../machines/rules/period.ts';
import {
  type Deferral,
  type SubscriptionContext,
  subscriptionContext,
} from '../../../machines/subscription/context.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/next-charge.ts';
import { type EventOf, MACHINES, type MachineVersion } from '../../../machines/versions.ts';
import { activePath } from '../../engine/candidates.ts';
import { actorTime } from '../../engine/projection.ts';
import { type StoredState, step } from '../../engine/step.ts';
import { conflict, invalid } from '../../errors/fault.ts';
import { answer } from '../../http/endpoint.ts';
import { flag, oneOf, queryInteger, timestamp } from '../../http/input/fields.ts';
import { staffEndpoint } from '../endpoint.ts';
import { type WhatIfStep, whatIfSchema } from '../wire.ts';
import { asNewest, requireActor } from './inspection.ts';
import { differences, pathText } from './journal.ts';
import { waitsOf } from './waits.ts';

/** The assumed outcomes of a charge while the copy runs. */
const OUTCOMES = [
  'settles',
  'insufficient_allowance',
  'insufficient_balance',
  'pull_reverted',
  'no_payout_wallet',
  'not_enabled',
  'sold_out',
  'merchant_suspended',
] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The assumptions. `failures`: this many attempts have the outcome, and later ones settle; null: all have it. */
interface Supposed {
  readonly until: string;
  readonly outcome: Outcome;
  readonly failures: number | null;
  /** The payer allows the charges immediately. */
  readonly authorizes: boolean;
}

/** More than a daily subscription needs in two years. */
const STEPS_MAX = 3_000;

type Assumed = EventOf<'subscription'>;

/**
 * Runs a subscription's machine on a copy in memory, from one due moment to the next, as the service would, with
 * assumptions in place of chains and merchants. It reads and writes nothing.
 */
class Copy {
  readonly #version: MachineVersion;
  readonly #supposed: Supposed;
  readonly #steps: WhatIfStep[] = [];
  #state: StoredState;
  #now: string;
  #failed = 0;

  constructor(version: MachineVersion, from: StoredState, now: string, supposed: Supposed) {
    this.#version = version;
    this.#state = from;
    this.#now = now;
    this.#supposed = supposed;
  }

  /** `now`: the copy's clock at the end. `stopped`: why it ended before `until`; null: it did not. */
  run() {
    if (this.#supposed.authorizes) this.#send({ type: 'allowance.seen', covers: true, payable: true });
    for (;;) {
      const stopped = this.#next();
      if (stopped === null) continue;
      return { steps: this.#steps, state: this.#state, now: this.#now, stopped: stopped.why };
    }
  }

  /** Runs one event; null: the run goes on. */
  #next(): { readonly why: string | null } | null {
    const context = this.#context();
    if (this.#steps.length >= STEPS_MAX) return { why: `The simulation stops after ${STEPS_MAX} steps` };
    if (isInFlight(this.#state)) return this.#end(context);
    const due = context.wakeAt;
    if (due === null || due > this.#supposed.until) return this.#rest(due);
    if (due > this.#now) this.#now = due;
    if (isOnlyCheckDue(context, this.#now)) return this.#check();
    if (wouldTrip(context.begun, this.#now))
      return { why: 'The service would quarantine it: too many attempts within an hour' };
    return this.#fallDue();
  }

  /** The attempt in flight ends. */
  #end({ open }: SubscriptionContext): { readonly why: string } | null {
    if (open === null) return { why: 'A charge is in flight, but no cycle is open' };
    const about = { cycle: open.number, attempt: open.attempt, paymentId: 'pay_00000000000000000000000000' };
    const reason = this.#failure();
    if (reason === null) return this.#required({ type: 'charge.settled', ...about });
    this.#failed += 1;
    return this.#required({ type: 'charge.failed', ...about, reason });
  }

  /** A check before the charge has the result that the charge would have. */
  #check(): { readonly why: string } | null {
    const stopped = this.#required({ type: 'risk.due' });
    const reason = this.#failure();
    const covers = reason !== 'insufficient_allowance';
    this.#send({ type: 'risk.seen', covers, payable: covers && reason !== 'insufficient_balance' });
    return stopped;
  }

  #fallDue(): { readonly why: string } | null {
    const why = this.#deferral();
    const charge = why === null ? ({ ready: true } as const) : ({ ready: false, why } as const);
    if (why !== null) this.#failed += 1;
    return this.#required({ type: 'cycle.due', asked: false, charge });
  }

  /** Nothing more falls due before the end, so the clock moves there. */
  #rest(due: string | null): { readonly why: string | null } {
    const state = activePath(this.#version.machine, this.#state.value)[0]?.id ?? '';
    const isOver = state.startsWith('canceled');
    if (!isOver) this.#now = this.#supposed.until;
    if (isOver) return { why: 'It has ended' };
    return { why: due === null ? 'Nothing falls due: it waits for an event' : null };
  }

  /** The assumed outcome of the next attempt; after `failures` attempts, the rest settle. */
  #outcome(): Outcome {
    const { outcome, failures } = this.#supposed;
    return failures !== null && this.#failed >= failures ? 'settles' : outcome;
  }

  #failure(): FailureReason | null {
    const outcome = this.#outcome();
    switch (outcome) {
      case 'insufficient_allowance':
      case 'insufficient_balance':
      case 'pull_reverted':
        return outcome;
      default:
        return null;
    }
  }

  #deferral(): Deferral | null {
    const outcome = this.#outcome();
    switch (outcome) {
      case 'no_payout_wallet':
      case 'not_enabled':
      case 'sold_out':
      case 'merchant_suspended':
        return outcome;
      default:
        return null;
    }
  }

  /** An event that the machine must accept; a refusal ends the run, because the copy would never move on. */
  #required(assumed: Assumed): { readonly why: string } | null {
    return this.#send(assumed) ? null : { why: `Its machine refuses ${assumed.type} in this state` };
  }

  #send(assumed: Assumed): boolean {
    const event = this.#version.event.parse({ ...assumed, now: this.#now });
    const stepped = step(this.#version, this.#state, event, null);
    if (stepped.taken !== true) return false;
    const webhooks = stepped.effects.flatMap((effect) => (effect.type === 'webhook.emit' ? effect.event : []));
    this.#steps.push({
      at: this.#now,
      event: assumed.type,
      from: pathText(this.#state.value),
      to: pathText(stepped.state.value),
      webhooks,
      effects: stepped.effects.flatMap(inWords),
      changes: differences(this.#state, stepped.state),
    });
    this.#state = stepped.state;
    return true;
  }

  #context(): SubscriptionContext {
    return subscriptionContext.parse(this.#state.context);
  }
}

function isInFlight({ value }: StoredState): boolean {
  return /\.(?:charging|closing)$/.test(pathText(value));
}

/** Only charges; effects that only watch are left out. */
function inWords(effect: Effect): string[] {
  switch (effect.type) {
    case 'charge.open':
      return [`charge cycle ${effect.cycle}, attempt ${effect.attempt}`];
    case 'charge.withdraw':
      return [`withdraw the charge of cycle ${effect.cycle}`];
    default:
      return [];
  }
}

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
    const supposed = { outcome, failures, authorizes };
    const version = MACHINES.subscription.current;
    const before = { value: doc.value, context: doc.context };
    const { steps, state, now, stopped } = new Copy(version, before, from, { until, ...supposed }).run();
    const id = activePath(version.machine, state.value)[0]?.id ?? '';
    return answer(200, {
      subscriptionId: doc._id,
      from,
      until,
      supposed,
      steps,
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
