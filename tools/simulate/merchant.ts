import { NodeRefused, NodeUnreachable } from '../../src/chains/rpc.ts';
import { Fault } from '../../src/errors/fault.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import type { Random } from '../crashtest/random.ts';
import type { Surroundings } from './life.ts';
import type { Shop } from './shop.ts';
import type { VirtualTime } from './time.ts';
import type { Worker } from './worker.ts';

/**
 * The result of a call: an answer, a refusal (4xx), or nothing reliable (5xx, a broken connection). `isAfterSilence`:
 * an earlier try of the same call got no answer, so it may still reach the store.
 */
export type Reported<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly why: string; readonly isAfterSilence: boolean }
  | { readonly kind: 'nothing' };

/** What acts on a merchant's behalf. */
export interface ActingDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly merchant: Merchant;
  readonly shop: Shop;
}

export interface MerchantDeps extends Surroundings {
  /** The workers that run now. */
  readonly workers: () => readonly Worker[];
}

/** How long a merchant waits for an answer, milliseconds, and how often it tries. */
const PATIENCE_MS = 60_000;
const TRIES = 60;

/** A merchant's program. It calls the service through a random process, as over HTTP, and repeats calls. */
export class Merchant {
  readonly #deps: MerchantDeps;
  /** Answers that no call may have, as text for people. */
  readonly oddities: string[] = [];

  constructor(deps: MerchantDeps) {
    this.#deps = deps;
  }

  async ask<T>(what: string, ask: (process: Pick<Worker, 'billing'>) => Promise<T>): Promise<Reported<T>> {
    const { workers, time, pace, trace } = this.#deps;
    const running = workers();
    if (running.length === 0) return { kind: 'nothing' };
    const worker = pace.pick(running);
    const nothing: Reported<T> = { kind: 'nothing' };
    const reported = await Promise.race([
      this.#answer(what, ask(worker)),
      worker.death.then(() => nothing),
      time.pause(PATIENCE_MS).then(() => nothing),
    ]);
    trace.say(
      'merchant',
      `${what} at ${worker.life.name}: ${reported.kind === 'refused' ? reported.why : reported.kind}`,
    );
    return reported;
  }

  /** Repeats a call, safe to repeat, until it is answered or refused. Without a process no try counts. */
  async insist<T>(what: string, ask: (process: Pick<Worker, 'billing'>) => Promise<T>): Promise<Reported<T>> {
    const { time, pace, workers } = this.#deps;
    for (let asked = 0; asked < TRIES; ) {
      if (workers().length > 0) asked += 1;
      const reported = await this.ask(what, ask);
      if (reported.kind === 'refused') return { ...reported, isAfterSilence: asked > 1 };
      if (reported.kind === 'answered') return reported;
      await time.pause(pace.integer(200, 5_000));
    }
    this.oddities.push(`${what} was tried ${TRIES} times and never answered`);
    return { kind: 'nothing' };
  }

  async #answer<T>(what: string, answer: Promise<T>): Promise<Reported<T>> {
    try {
      return { kind: 'answered', value: await answer };
    } catch (error) {
      if (error instanceof Fault && error.status < 500)
        return { kind: 'refused', why: error.message, isAfterSilence: false };
      const isOutside =
        error instanceof StoreUnavailable ||
        error instanceof NodeUnreachable ||
        error instanceof NodeRefused ||
        (error instanceof Fault && error.code === 'rate_unavailable');
      if (!isOutside) this.oddities.push(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      return { kind: 'nothing' };
    }
  }
}
