import { createStore } from '@xstate/store';
import type { Challenge } from '../../src/checkout/wire.ts';
import type { Choice } from './choice.ts';
import { type Problem, transactionRefused } from './problem.ts';
import type { Purchase } from './purchase.ts';
import type { Taking, Wallet } from './wallets/wallet.ts';

/** The present work: the page shows it, and starts no second one. */
export type Doing =
  | 'connecting'
  | 'switching'
  | 'signing'
  | 'sending'
  | 'permitting'
  | 'resetting'
  | 'approving'
  | 'revoking'
  | 'ending';

/** A transaction that the wallet has sent from this page, or a batch of them. */
export interface Sent {
  /** The hash, or the wallet's id of a batch. */
  readonly id: string;
  /** null: a batch, whose hash the wallet keeps. */
  readonly hash: string | null;
  /**
   * `reset`: sets the allowance to 0, because the token accepts a new approval only from 0. `revocation`: sets it to 0
   * for good. `end`: ends the agreement on its contract.
   */
  readonly what: 'reset' | 'approval' | 'revocation' | 'end';
  readonly state: 'not_yet' | 'good' | 'reverted';
}

export interface FlowState<S extends Purchase> {
  readonly wallet: Wallet | null;
  /** True if the wallet is on the chain of the token; null: unknown. */
  readonly isOnChain: boolean | null;
  /** The text to sign and its sum; null: no wallet has requested one. */
  readonly challenge: Challenge | null;
  readonly choice: Choice;
  /** The payer wants a transaction although a signature is enough. */
  readonly wantsTransaction: boolean;
  /** How the token takes the approval, as far as that is known. */
  readonly taking: Taking;
  /** The text is signed and handed in; what remains is the allowance and time. */
  readonly isSigned: boolean;
  /** null: no session or link data yet. */
  readonly purchase: S | null;
  readonly sent: Sent | null;
  /** Which transactions of this page have landed. */
  readonly done: readonly Sent['what'][];
  readonly doing: Doing | null;
  readonly problem: Problem | null;
  /** The service no longer knows the session or link, so requests are useless; null: it does. */
  readonly gone: Problem | null;
}

/** The state of one visit: facts only, never their presentation. A problem ends with its cause. */
export function createFlowStore<S extends Purchase>(known: Pick<FlowState<S>, 'purchase' | 'isSigned' | 'choice'>) {
  const begun: FlowState<S> = {
    wallet: null,
    isOnChain: null,
    challenge: null,
    wantsTransaction: false,
    taking: 'accepted',
    ...known,
    sent: null,
    done: [],
    doing: null,
    problem: null,
    gone: null,
  };
  return createStore({
    context: begun,
    on: {
      began: (state, { doing }: { doing: Doing }) => ({ ...state, doing, problem: null }),
      ended: (state) => ({ ...state, doing: null }),
      failed: (state, { problem }: { problem: Problem }) => ({ ...state, doing: null, problem }),
      connected: (state, { wallet }: { wallet: Wallet }) => ({
        ...state,
        wallet,
        isOnChain: null,
        challenge: null,
        taking: 'accepted',
        problem: null,
      }),
      disconnected: (state) => ({
        ...state,
        wallet: null,
        isOnChain: null,
        challenge: null,
        doing: null,
        problem: null,
      }),
      located: (state, { isOnChain }: { isOnChain: boolean }) => ({
        ...state,
        isOnChain,
        problem: isOnChain && state.isOnChain === false ? null : state.problem,
      }),
      challenged: (state, { challenge }: { challenge: Challenge | null }) => ({ ...state, challenge }),
      chose: (state, { choice }: { choice: Choice }) => ({ ...state, choice, problem: null }),
      wantsTransaction: (state, { wants }: { wants: boolean }) => ({
        ...state,
        wantsTransaction: wants,
        problem: null,
      }),
      checked: (state, { taking }: { taking: Taking }) => ({ ...state, taking }),
      signed: (state) => ({ ...state, isSigned: true }),
      loaded: (state, { purchase: now }: { purchase: S }) => ({
        ...state,
        purchase: now,
        gone: null,
        problem: stageOf(now) === stageOf(state.purchase) ? state.problem : null,
      }),
      /** The browser is online again. */
      reached: (state) => ({ ...state, problem: state.problem?.isOffline ? null : state.problem }),
      gone: (state, { problem }: { problem: Problem }) => ({ ...state, gone: problem }),
      sent: (state, { sent }: { sent: Sent }) => ({ ...state, sent }),
      givenUp: (state) => ({ ...state, sent: null }),
      landed: (state, { is }: { is: Sent['state'] }) => ({
        ...state,
        sent: state.sent === null ? null : { ...state.sent, state: is },
        done: state.sent === null || is !== 'good' ? state.done : [...state.done, state.sent.what],
        problem: is === 'reverted' ? transactionRefused() : state.problem,
      }),
    },
  });
}

/** A message about an earlier stage has lost its cause. */
function stageOf(purchase: Purchase | null): string {
  const { progress, waitsFor, permit, payment } = purchase?.outcome ?? {};
  return [progress, waitsFor, permit?.status, payment?.status].join();
}

export type FlowStore<S extends Purchase> = ReturnType<typeof createFlowStore<S>>;
