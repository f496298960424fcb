import type { Outcome, PayerState } from '../../src/checkout/wire.ts';
import { speak } from '../../web/i18n/say.ts';
import en from '../../web/messages/en.json' with { type: 'json' };
import { createFlowStore } from '../../web/pay/flow-state.ts';
import { type Problem, problemOf } from '../../web/pay/problem.ts';
import type { Purchase } from '../../web/pay/purchase.ts';
import { WalletError } from '../../web/pay/wallets/wallet-error.ts';
import { ApiError } from '../../web/ui/api-error.ts';

beforeAll(() => speak('en', en));

const NONE = { subscription: null, payment: null, permit: null, afterCompletion: null, receiptPath: null };
const WAITING: Outcome = { ...NONE, progress: 'waiting', waitsFor: 'allowance' };

function purchaseWith(outcome: Outcome, chain: PayerState | null = null): Purchase {
  const names = { merchantName: 'Acme', offerName: 'Coffee Club' };
  return { kind: 'payment', ...names, isSandbox: true, asked: null, chain, permitToSign: null, mandate: null, outcome };
}

function storeWith(problem: Problem) {
  const store = createFlowStore<Purchase>({
    purchase: purchaseWith(WAITING),
    isSigned: true,
    choice: { kind: 'asked' },
  });
  store.trigger.located({ isOnChain: false });
  store.trigger.failed({ problem });
  return { store, problem: () => store.getSnapshot().context.problem };
}

const declined = () => problemOf(new WalletError('rejected', ''));
const offline = () => problemOf(new ApiError(0, '', null));

describe('a problem on a page', () => {
  it('stays while nothing has changed', () => {
    const { store, problem } = storeWith(declined());
    store.trigger.loaded({ purchase: purchaseWith(WAITING) });
    store.trigger.located({ isOnChain: false });
    store.trigger.reached();
    expect(problem()).toEqual(declined());
  });

  it('ends when the purchase goes on without it', () => {
    const { store, problem } = storeWith(declined());
    store.trigger.loaded({ purchase: purchaseWith({ ...WAITING, progress: 'charging', waitsFor: null }) });
    expect(problem()).toBeNull();
  });

  it('ends when the wallet is on the right network, or is another one', () => {
    const switched = storeWith(declined());
    switched.store.trigger.located({ isOnChain: true });
    const left = storeWith(declined());
    left.store.trigger.disconnected();
    expect([switched.problem(), left.problem()]).toEqual([null, null]);
  });

  it('ends when the browser is online again, if that was the problem', () => {
    const { store, problem } = storeWith(offline());
    store.trigger.loaded({ purchase: purchaseWith(WAITING) });
    expect(problem()).toEqual(offline());
    store.trigger.reached();
    expect(problem()).toBeNull();
  });

  it('is the refusal of the chain until the next try', () => {
    const { store, problem } = storeWith(declined());
    store.trigger.sent({ sent: { id: '0x1', hash: '0x1', what: 'approval', state: 'not_yet' } });
    store.trigger.landed({ is: 'reverted' });
    expect(problem()?.title).toBe('The network refused the transaction');
    store.trigger.began({ doing: 'approving' });
    expect(problem()).toBeNull();
  });
});
