import type { EffectOf } from '../../../machines/effects.ts';
import { newPayment, paymentContext } from '../../../machines/payment/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { canonicalState } from '../../../src/engine/canonical.ts';
import { TestActor } from './actor.ts';
import { aboutPresent, type Word } from './payment.ts';
import { CANCEL, COVERED, DUE, RETRY, START, TestSubscription } from './subscription.ts';

/** One message from one actor to another, with its position in its sender's history. */
type Message =
  | { readonly to: 'payment'; readonly cycle: number; readonly mark: [number, number]; readonly carries: ToPayment }
  | { readonly to: 'subscription'; readonly mark: [number, number]; readonly carries: EventOf<'subscription'> };

type ToPayment = EffectOf<'charge.open' | 'charge.withdraw' | 'charge.schedule'>;

/** The messages of one actor in order, and the number that has arrived. */
interface Line {
  readonly sent: Message[];
  arrived: number;
}

/** The next steps that a scheduler can choose. */
export type Move =
  | { readonly kind: 'deliver'; readonly line: number }
  | { readonly kind: 'chain'; readonly word: Word }
  | { readonly kind: 'wake' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'cancel' };

/**
 * A subscription and its payments with the lines between them. Every message arrives in the order of its sender, with
 * any delay, and may arrive again later.
 */
export class Pair {
  readonly subscription = new TestSubscription({ terms: { interval: { unit: 'week', count: 1 } } });
  readonly #payments = new Map<number, TestActor<'payment'>>();
  readonly #lines = new Map<string, Line>();
  readonly #revs = new Map<string, number>();
  #seconds = 0;

  constructor() {
    this.#reported(this.subscription, 'sub_1', () => this.subscription.send(COVERED));
  }

  make(move: Move): void {
    this.#seconds += 1;
    switch (move.kind) {
      case 'deliver':
        this.#deliver(this.#line(move.line));
        return;
      case 'chain':
        this.#chain(move.word);
        return;
      case 'wake':
        this.#say(DUE, this.subscription.context.wakeAt);
        return;
      case 'retry':
        this.#say(RETRY);
        return;
      case 'cancel':
        this.#say(CANCEL);
        return;
      default:
        unknownCase(move, 'move');
    }
  }

  /** Delivers an earlier message again, at the same time. Throws if that changes anything. */
  repeat({ line: index, back }: { readonly line: number; readonly back: number }): void {
    const line = this.#line(index);
    const message = line?.sent[line.arrived - 1 - back];
    if (message) this.#arrive(message, true);
  }

  /** Delivers all sent messages once, until no more are sent. */
  settle(): void {
    for (let line = this.#laden(); line !== undefined; line = this.#laden()) this.#deliver(line);
  }

  /** All states and effects of the actors. */
  get everything(): readonly string[] {
    const actors = [this.subscription, ...[...this.#payments].sort(([a], [b]) => a - b).map(([, payment]) => payment)];
    return actors.flatMap(({ state, asked }) => [canonicalState(state), JSON.stringify(asked)]);
  }

  get payments(): readonly TestActor<'payment'>[] {
    return [...this.#payments.values()];
  }

  #laden(): Line | undefined {
    return [...this.#lines.values()].find(({ sent, arrived }) => arrived < sent.length);
  }

  #line(index: number): Line | undefined {
    const lines = [...this.#lines.values()];
    return lines[index % Math.max(1, lines.length)];
  }

  #deliver(line: Line | undefined): void {
    const next = line?.sent[line.arrived];
    if (!line || !next) return;
    line.arrived += 1;
    this.#arrive(next, false);
  }

  /** `again`: it must change nothing, so it is only tried. */
  #arrive(message: Message, again: boolean): void {
    if (message.to === 'subscription') {
      const sender = { id: `pay_${cycleOf(message)}`, mark: message.mark };
      if (again) this.#requireUnmoved(this.subscription.isUnmovedBy(message.carries, sender), message);
      this.#reported(this.subscription, 'sub_1', () => this.subscription.send(message.carries, sender));
      return;
    }
    const { cycle, carries, mark } = message;
    const sender = { id: 'sub_1', mark };
    const payment = this.#payments.get(cycle);
    const event = eventOf(carries);
    if (event === null) {
      if (!payment) this.#open(carries, sender);
      return;
    }
    if (!payment) throw new Error(`${carries.type} of cycle ${cycle} is there before its payment`);
    if (again) this.#requireUnmoved(payment.isUnmovedBy(event, sender), message);
    this.#reported(payment, `pay_${cycle}`, () => payment.send(event, sender));
  }

  #requireUnmoved(isUnmoved: boolean, message: Message): void {
    if (!isUnmoved) throw new Error(`${JSON.stringify(message)} arrived twice and changed something`);
  }

  /** The first attempt creates the cycle's payment, once. */
  #open(opening: ToPayment, sender: { id: string; mark: [number, number] }): void {
    if (opening.type !== 'charge.open') return;
    const { cycle, periodStart, periodEnd, amount, fromWallet, forcedFailure } = opening;
    const made = new TestActor(
      'payment',
      newPayment({
        id: `pay_${cycle}`,
        cycleOf: { subscriptionId: 'sub_1', cycle, periodStart, periodEnd },
        amount,
        fromWallet,
        toWallet: null,
        forcedFailure,
      }),
      this.#now(),
    );
    this.#payments.set(cycle, made);
    this.#reported(made, `pay_${cycle}`, () => made.create(sender));
  }

  /** Sends the chain's facts about the newest payment's present attempt, unless the payment would refuse them. */
  #chain(word: Word): void {
    const [cycle, payment] = [...this.#payments].at(-1) ?? [];
    if (!payment) return;
    const facts = aboutPresent(paymentContext.parse(payment.state.context));
    const event = word === 'opened' ? facts.mined : facts[word];
    if (!payment.refuses(event)) this.#reported(payment, `pay_${cycle}`, () => payment.send(event));
  }

  #say(event: EventOf<'subscription'>, at: string | null = null): void {
    this.subscription.at(this.#now());
    if (at !== null && at > this.subscription.now) {
      this.#seconds += Math.ceil((Date.parse(at) - Date.parse(this.subscription.now)) / 1_000);
      this.subscription.at(this.#now());
    }
    if (this.subscription.refuses(event)) return;
    this.#reported(this.subscription, 'sub_1', () => this.subscription.send(event));
  }

  /** Sends the actor's messages, marked with its revision and the index of the effect. */
  #reported(actor: TestActor<'subscription'> | TestActor<'payment'>, id: string, send: () => unknown): void {
    const before = { asked: actor.asked.length, state: canonicalState(actor.state) };
    actor.at(this.#now());
    send();
    const asked = actor.asked.slice(before.asked);
    if (asked.length === 0 && canonicalState(actor.state) === before.state) return;
    const rev = (this.#revs.get(id) ?? 0) + 1;
    this.#revs.set(id, rev);
    const line = this.#lines.get(id) ?? { sent: [], arrived: 0 };
    this.#lines.set(id, line);
    for (const [index, effect] of asked.entries()) {
      const mark: [number, number] = [rev, index];
      if (effect.type === 'subscription.tell') line.sent.push({ to: 'subscription', mark, carries: effect.message });
      if (effect.type === 'charge.open' || effect.type === 'charge.withdraw' || effect.type === 'charge.schedule') {
        line.sent.push({ to: 'payment', cycle: effect.cycle, mark, carries: effect });
      }
    }
  }

  #now(): string {
    return new Date(Date.parse(START) + this.#seconds * 1_000).toISOString();
  }
}

function cycleOf({ carries }: Extract<Message, { to: 'subscription' }>): number {
  return 'cycle' in carries ? carries.cycle : 0;
}

/** Null: the payment does not exist yet. */
function eventOf(carries: ToPayment): EventOf<'payment'> | null {
  switch (carries.type) {
    case 'charge.open': {
      const { attempt, fromWallet, periodStart, periodEnd, forcedFailure } = carries;
      if (attempt === 1) return null;
      return { type: 'charge.opened', attempt, fromWallet, periodStart, periodEnd, forcedFailure };
    }
    case 'charge.withdraw':
      return { type: 'charge.withdrawn' };
    case 'charge.schedule':
      return { type: 'charge.scheduled', nextAttemptAt: carries.nextAttemptAt };
    default:
      return unknownCase(carries, 'message');
  }
}
