import { speak } from '../../web/i18n/say.ts';
import en from '../../web/messages/en.json' with { type: 'json' };
import { connectProvider } from '../../web/pay/wallets/eip1193.ts';
import type { Granted, Link } from '../../web/pay/wallets/link.ts';
import { LinkProvider } from '../../web/pay/wallets/link-provider.ts';
import { Pairing } from '../../web/pay/wallets/pairing.ts';
import { WalletError } from '../../web/pay/wallets/wallet-error.ts';

beforeAll(() => speak('en', en));

/** A wallet on another device as the page sees it: the chains and methods that it grants, and its errors in words. */

const OWN = `0x${'a'.repeat(40)}`;
const PAY_TOKEN = { label: 'Base', tokenKey: 'usdc-base', token: `0x${'b'.repeat(40)}`, decimals: 6 };

interface Remote extends Link {
  granted_: Granted | null;
  readonly asked: string[];
  readonly listeners: Set<() => void>;
  isEnded: boolean;
}

function remote(chainIds: readonly number[], methods: readonly string[], answer: (method: string) => unknown): Remote {
  const listeners = new Set<() => void>();
  const asked: string[] = [];
  const link: Remote = {
    name: 'Satchel',
    granted_: { accounts: chainIds.map((chainId) => `eip155:${chainId}:${OWN}`), methods },
    asked,
    listeners,
    isEnded: false,
    granted: () => link.granted_,
    request: async (chainId, { method }) => {
      asked.push(`${chainId} ${method}`);
      return answer(method);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end: () => {
      link.isEnded = true;
    },
  };
  return link;
}

function walletOf(link: Link, wanted: number) {
  const provider = new LinkProvider(link, wanted);
  const source = { now: () => provider, onReplaced: () => () => {}, end: () => link.end() };
  return connectProvider(source, link.name, async () => null);
}

function throwing(code: number, message = 'no'): () => never {
  return () => {
    // As the library does: an object, not an Error.
    throw { code, message };
  };
}

describe('a wallet on another device', () => {
  it('is asked on the chain that the page wants, without a prompt to switch', async () => {
    const link = remote([1, 8453, 137], ['personal_sign'], () => '0xsigned');
    const wallet = await walletOf(link, 8453);
    expect([wallet.address, await wallet.isOn({ chainId: 8453 }), await wallet.isOn({ chainId: 1 })]).toEqual([
      OWN,
      true,
      false,
    ]);
    await wallet.signText('hello');
    await wallet.switchTo({ ...PAY_TOKEN, chainId: 137 });
    await wallet.signText('hello');
    expect(link.asked).toEqual(['8453 personal_sign', '137 personal_sign']);
  });

  it('is asked to switch to a chain that it has not granted, and grants it', async () => {
    const link = remote([1], ['wallet_switchEthereumChain'], () => {
      link.granted_ = { accounts: [`eip155:1:${OWN}`, `eip155:8453:${OWN}`], methods: [] };
      return null;
    });
    const wallet = await walletOf(link, 8453);
    expect(await wallet.isOn({ chainId: 8453 })).toBe(false);
    await wallet.switchTo({ ...PAY_TOKEN, chainId: 8453 });
    expect([await wallet.isOn({ chainId: 8453 }), link.asked]).toEqual([true, ['1 wallet_switchEthereumChain']]);
  });

  it('that cannot switch is named in words', async () => {
    const wallet = await walletOf(remote([1], [], throwing(0)), 8453);
    const switching = wallet.switchTo({ ...PAY_TOKEN, chainId: 8453 });
    await expect(switching).rejects.toThrow('Satchel has not granted this network to the page.');
  });

  it.each([
    ['refuses', 5000, 'rejected'],
    ['refuses as an extension does', 4001, 'rejected'],
    ['does not have the method', 5101, 'unsupported'],
    ['fails', -32603, 'failed'],
  ])('that %s says so', async (_what, code, kind) => {
    const wallet = await walletOf(remote([8453], ['personal_sign'], throwing(code)), 8453);
    await expect(wallet.signText('hello')).rejects.toMatchObject({ kind, message: expect.any(String) });
  });

  it('without a node leaves it to the token and to the service', async () => {
    const link = remote([8453], ['eth_sendTransaction'], () => '0xhash');
    const wallet = await walletOf(link, 8453);
    const approval = {
      payToken: { ...PAY_TOKEN, chainId: 8453 },
      operator: `0x${'c'.repeat(40)}`,
      value: 7n,
      draft: async () => '',
    };
    expect(await wallet.check(approval)).toBe('accepted');
    expect(await wallet.landed(await wallet.approve(approval))).toBe('unknown');
    expect(link.asked).toEqual(['8453 eth_sendTransaction']);
  });

  it('shows no account after the end of the connection, and the page hears of it once', async () => {
    const link = remote([8453], [], throwing(0));
    const wallet = await walletOf(link, 8453);
    let changes = 0;
    const stop = wallet.onChange(() => {
      changes += 1;
    });
    link.granted_ = null;
    for (const listener of link.listeners) listener();
    expect([changes, await wallet.currentAddress()]).toEqual([1, null]);
    stop();
    expect(link.listeners.size).toBe(0);
    wallet.leave?.();
    expect(link.isEnded).toBe(true);
  });
});

describe('the code of a connection', () => {
  const failing = (error: unknown) => async () => ({ uri: 'wc:1', approved: Promise.reject(error), drop: () => {} });

  it.each([
    [{ code: 5000, message: 'User rejected.' }, 'rejected'],
    [new Error('Proposal expired'), 'expired'],
    [new Error('No internet connection detected. Please restart your network and try again.'), 'unreachable'],
    [new WalletError('unreachable', 'The relay does not answer.'), 'unreachable'],
    [new Error('Something else'), 'failed'],
  ])('%p ends it: %s', async (error, kind) => {
    const pairing = new Pairing();
    await expect(pairing.follow(failing(error))).rejects.toMatchObject({ kind });
    expect(pairing.store.getSnapshot().context.uri).toBeNull();
  });

  it('is shown until the payer closes it, is then invalid, and gives way to the next one', async () => {
    const pairing = new Pairing();
    const seen: (string | null)[] = [];
    pairing.store.subscribe(({ context }) => {
      seen.push(context.uri);
      if (context.uri === 'wc:1') pairing.cancel();
    });
    const dropped: string[] = [];
    const never = new Promise<Link>(() => {});
    const first = pairing.follow(async () => ({ uri: 'wc:1', approved: never, drop: () => dropped.push('wc:1') }));
    await expect(first).rejects.toThrow(WalletError);
    const link = remote([1], [], throwing(0));
    const approved = Promise.resolve(link);
    expect(await pairing.follow(async () => ({ uri: 'wc:2', approved, drop: () => dropped.push('wc:2') }))).toBe(link);
    expect([seen, dropped]).toEqual([['wc:1', null, 'wc:2', null], ['wc:1']]);
  });
});
