import { createStore } from '@xstate/store';
import type { Challenge } from '../../src/checkout/wire.ts';
import type { Choice } from './choice.ts';
import type { Problem } from './problem.ts';
import type { Standing } from './standing.ts';
import type { Wallet } from './wallets/wallet.ts';

/** What the page is doing, so that it shows, and nothing is begun twice. */
export type Doing =
  | 'connecting'
  | 'switching'
  | 'signing'
  | 'sending'
  | 'permitting'
  | 'resetting'
  | 'approving'
  | 'revoking';

/** A transaction that the wallet has sent from here. */
export interface Sent {
  readonly hash: string;
  /** `reset`: to 0, because the token takes the approval that follows from nothing but 0. */
  readonly what: 'reset' | 'approval' | 'revocation';
  readonly state: 'not_yet' | 'good' | 'reverted';
}

export interface FlowState<S extends Standing> {
  readonly wallet: Wallet | null;
  /** Whether the wallet is on the chain of the token; null: not known. */
  readonly isOnChain: boolean | null;
  /** The text to be signed, and the sum behind it; null: no wallet has asked for one. */
  readonly challenge: Challenge | null;
  readonly choice: Choice;
  /** The payer wants a transaction although a signature would do. */
  readonly wantsTransaction: boolean;
  /** The token takes another approval only when the one before has been set to 0. */
  readonly resets: boolean;
  /** The text has been signed and handed in: the rest is allowance and time. */
  readonly isSigned: boolean;
  /** null: there is nothing yet. */
  readonly standing: S | null;
  readonly sent: Sent | null;
  readonly doing: Doing | null;
  readonly problem: Problem | null;
  /** The service knows nothing of it any more: nothing can come of what would be asked; null: it does. */
  readonly gone: Problem | null;
}

/** The state of one visit: what is known, never what is to be shown. */
export function createFlowStore<S extends Standing>(known: Pick<FlowState<S>, 'standing' | 'isSigned' | 'choice'>) {
  const begun: FlowState<S> = {
    wallet: null,
    isOnChain: null,
    challenge: null,
    wantsTransaction: false,
    resets: false,
    ...known,
    sent: null,
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
        resets: false,
      }),
      disconnected: (state) => ({ ...state, wallet: null, isOnChain: null, challenge: null, doing: null }),
      located: (state, { isOnChain }: { isOnChain: boolean }) => ({ ...state, isOnChain }),
      challenged: (state, { challenge }: { challenge: Challenge | null }) => ({ ...state, challenge }),
      chose: (state, { choice }: { choice: Choice }) => ({ ...state, choice, problem: null }),
      wantsTransaction: (state, { wants }: { wants: boolean }) => ({ ...state, wantsTransaction: wants }),
      checked: (state, { resets }: { resets: boolean }) => ({ ...state, resets }),
      signed: (state) => ({ ...state, isSigned: true }),
      stands: (state, { standing: now }: { standing: S }) => ({ ...state, standing: now, gone: null }),
      gone: (state, { problem }: { problem: Problem }) => ({ ...state, gone: problem }),
      sent: (state, { sent }: { sent: Sent }) => ({ ...state, sent }),
      givenUp: (state) => ({ ...state, sent: null }),
      landed: (state, { is }: { is: Sent['state'] }) => ({
        ...state,
        sent: state.sent === null ? null : { ...state.sent, state: is },
      }),
    },
  });
}

export type FlowStore<S extends Standing> = ReturnType<typeof createFlowStore<S>>;
