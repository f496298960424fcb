import { speak } from '../../web/i18n/say.ts';
import en from '../../web/messages/en.json' with { type: 'json' };
import { connectProvider, type Provider } from '../../web/pay/wallets/eip1193.ts';
import type { Approval, Wallet } from '../../web/pay/wallets/wallet.ts';
import { WalletError } from '../../web/pay/wallets/wallet-error.ts';

beforeAll(() => speak('en', en));

/** Batches of a wallet (EIP-5792), and the answers that count as a refusal of the method. */

const OWN = `0x${'a'.repeat(40)}`;
const APPROVAL: Approval = {
  payToken: { chainId: 8453, label: 'Base', tokenKey: 'usdt-base', token: `0x${'b'.repeat(40)}`, decimals: 6 },
  operator: `0x${'c'.repeat(40)}`,
  value: 7n,
  draft: async () => '',
};

type Answers = { readonly [method: string]: unknown };

/** A wallet of a token that takes an approval from 0 only. An answer that is an Error is thrown. */
async function strictWallet(answers: Answers): Promise<Wallet> {
  const provider: Provider = {
    request: async ({ method, params = [] }) => {
      const answer = method === 'eth_call' ? tokenAnswer(params[0]) : { eth_accounts: [OWN], ...answers }[method];
      if (answer instanceof Error) throw answer;
      if (answer === undefined) throw coded(-32601);
      return answer;
    },
  };
  const source = { now: () => provider, onReplaced: () => () => {} };
  return connectProvider(source, 'Pocket', async () => null);
}

function tokenAnswer(call: unknown): unknown {
  const data = JSON.stringify(call);
  const isAllowance = data.includes('dd62ed3e');
  const isOfZero = data.includes(`${'0'.repeat(64)}"`);
  if (isAllowance) return `0x${'5'.padStart(64, '0')}`;
  return isOfZero ? '0x' : Object.assign(new Error('execution reverted: from 0 only'), { code: 3 });
}

function coded(code: number): Error {
  return Object.assign(new Error(`code ${code}`), { code });
}

const BASE = { eth_requestAccounts: [OWN], eth_estimateGas: '0x5208' };
const atomic = (chain: string, status: string) => ({
  ...BASE,
  wallet_getCapabilities: { [chain]: { atomic: { status } } },
});

describe('a wallet that has to set an approval to 0 first', () => {
  it.each([
    ['on the chain', atomic('0x2105', 'supported'), 'in_one'],
    ['on all chains', atomic('0x0', 'supported'), 'in_one'],
    ['on another chain', atomic('0x1', 'supported'), 'reset_first'],
    ['after a change of the account', atomic('0x2105', 'ready'), 'reset_first'],
    ['not at all', atomic('0x2105', 'unsupported'), 'reset_first'],
    ['without the method', BASE, 'reset_first'],
    ['in the form of an earlier draft', { ...BASE, wallet_getCapabilities: { '0x2105': true } }, 'reset_first'],
  ])('does both at once if it has atomic batches: %s', async (_name, answers, taking) => {
    expect(await (await strictWallet(answers)).check(APPROVAL)).toBe(taking);
  });

  it.each([
    [{ status: 100 }, 'not_yet'],
    [{ status: 200 }, 'good'],
    [{ status: 400 }, 'reverted'],
    [{ status: 500 }, 'reverted'],
    [{ status: 'PENDING' }, 'not_yet'],
    [null, 'not_yet'],
  ])('follows the batch: %j is %s', async (answer, state) => {
    const answers = { ...atomic('0x0', 'supported'), wallet_sendCalls: { id: '0x1' }, wallet_getCallsStatus: answer };
    const wallet = await strictWallet(answers);
    const id = (await wallet.approveInOne?.(APPROVAL)) ?? '';
    expect(await wallet.landed(id)).toBe(state);
  });

  it.each([4200, -32601, 5700, 5710, 5740, 5750, 5760])(
    'does the two steps one after the other once it has refused the batch with %i',
    async (code) => {
      const wallet = await strictWallet({ ...atomic('0x0', 'supported'), wallet_sendCalls: coded(code) });
      const refused = await wallet.approveInOne?.(APPROVAL).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WalletError);
      expect(refused).toMatchObject({ kind: 'unsupported' });
      expect(await wallet.check(APPROVAL)).toBe('reset_first');
    },
  );

  it('offers the batch again if its owner has declined it', async () => {
    const wallet = await strictWallet({ ...atomic('0x0', 'supported'), wallet_sendCalls: coded(4001) });
    await expect(wallet.approveInOne?.(APPROVAL)).rejects.toMatchObject({ kind: 'rejected' });
    expect(await wallet.check(APPROVAL)).toBe('in_one');
  });
});
