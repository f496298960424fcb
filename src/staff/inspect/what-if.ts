import type { Effect, FailureReason } from '../../../machines/effects.ts';
import { wouldTrip } from '../../../machines/rules/breaker.ts';
import {
  type Deferral,
  type SubscriptionContext,
  subscriptionContext,
} from '../../../machines/subscription/context.ts';
import { isOnlyCheckDue } from '../../../machines/subscription/next-charge.ts';
import type { EventOf, MachineVersion } from '../../../machines/versions.ts';
import { activePath } from '../../engine/candidates.ts';
import { type StoredState, step } from '../../engine/step.ts';
import type { WhatIfStep } from '../wire.ts';
import { differences, pathText } from './journal.ts';

/** The assumed outcomes of a charge while the copy runs. */
export const OUTCOMES = [
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
export interface Supposed {
  readonly until: string;
  readonly outcome: Outcome;
  readonly failures: number | null;
  /** The payer allows the charges immediately. */
  readonly authorizes: boolean;
}

export interface WhatIf {
  readonly steps: readonly WhatIfStep[];
  readonly state: StoredState;
  /** The copy's clock at the end. */
  readonly now: string;
  /** Why it ended before `until`; null: it did not. */
  readonly stopped: string | null;
}

/** More than a daily subscription needs in two years. */
const STEPS_MAX = 3_000;

type Assumed = EventOf<'subscription'>;

/**
 * Runs a subscription's machine on a copy in memory, from one due moment to the next, as the service would, with
 * assumptions in place of chains and merchants. It reads and writes nothing.
 */
export function whatIf(version: MachineVersion, from: StoredState, now: string, supposed: Supposed): WhatIf {
  const copy = new Copy(version, from, now, supposed);
  return copy.run();
}

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

  run(): WhatIf {
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
