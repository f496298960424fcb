import { setTimeout as delay } from 'node:timers/promises';
import { AbiCoder, getAddress, getCreateAddress, HDNodeWallet, Interface, id, Wallet, ZeroAddress } from 'ethers';
import { z } from 'zod';
import { deployRouterData, operatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { deployTestTokenData, testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import type { ChargeDoc, ShareRole } from '../../../src/store/collections.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../../support/anvil.ts';

/** A separate chain with a router, two test tokens, and wallets for the test. */
export interface World {
  readonly anvil: Anvil;
  readonly chainId: number;
  readonly router: string;
  readonly owner: string;
  readonly usdc: string;
  /** The decimals of `usdc`. */
  readonly decimals: number;
  readonly usdt: string;
  readonly senderKeys: readonly string[];
  /** Mines pending transactions from now on, until the returned function is called. */
  pump(): () => void;
  mine(blocks?: number): Promise<void>;
  /** True if the transaction with this hash is in the node's pool, and in no block. */
  isPending(hash: string): Promise<boolean>;
  /** Makes `from` call `to`, or create a contract from `data`; mined when it resolves. */
  act(from: string, to: string | null, data: string): Promise<void>;
  /** Deploys one more router, with the same owner and senders. */
  deployRouter(): Promise<string>;
  /** A wallet with tokens that has approved this merchant's operator. */
  payer(merchantId: string, grant?: Grant): Promise<string>;
  /** `router`: the operator's; absent: the world's first. */
  approve(wallet: string, merchantId: string, amount: bigint, token?: string, router?: string): Promise<void>;
  mint(wallet: string, amount: bigint, token?: string): Promise<void>;
  balanceOf(wallet: string, token?: string): Promise<bigint>;
  /** All transfers of a token, oldest first; they judge every test. */
  transfers(token?: string): Promise<Transfer[]>;
  stop(): Promise<void>;
}

interface Grant {
  readonly balance?: bigint;
  readonly allowance?: bigint;
  readonly token?: string;
  readonly router?: string;
}

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly txHash: string;
}

export const UNLIMITED = 2n ** 256n - 1n;
const MILLION = 1_000_000_000_000n;

export interface WorldOptions extends Pick<AnvilOptions, 'epoch' | 'args'> {
  /** Seconds for which an announced payee waits; 0 by default. */
  readonly payeeDelay?: number;
  /** The decimals of the playing token. */
  readonly decimals?: number;
}

/** Starts a chain that mines only when pumped. */
export async function startWorld({ decimals = 6, payeeDelay = 0, ...options }: WorldOptions = {}): Promise<World> {
  const anvil = await startAnvil({ automine: false, ...options });
  const send = (method: string, params: unknown[]): Promise<unknown> => anvil.provider.send(method, params);
  const fund = (address: string): Promise<unknown> => send('anvil_setBalance', [address, '0x21e19e0c9bab2400000']);
  const owner = Wallet.createRandom().address;
  const senders = [Wallet.createRandom(), Wallet.createRandom()];
  await Promise.all([owner, ...senders.map(({ address }) => address)].map(fund));
  await send('anvil_autoImpersonateAccount', [true]);

  const mine = async (blocks = 1): Promise<void> => {
    await send('anvil_mine', [`0x${blocks.toString(16)}`, '0x0']);
  };
  const act = async (from: string, to: string | null, data: string): Promise<void> => {
    const hash = await send('eth_sendTransaction', [{ from, ...(to === null ? {} : { to }), data, gas: '0xe4e1c0' }]);
    await mine();
    const receipt = z.object({ status: z.string() }).parse(await send('eth_getTransactionReceipt', [hash]));
    if (receipt.status !== '0x1') throw new Error(`transaction to ${to} reverted`);
  };
  const [router, usdc, usdt] = [0, 1, 2].map((nonce) => getCreateAddress({ from: owner, nonce }));
  if (!router || !usdc || !usdt) throw new Error('no addresses');
  const accepted = senders.map(({ address }) => address);
  await act(owner, null, deployRouterData(owner, accepted, payeeDelay));
  await act(owner, null, deployTestTokenData({ name: 'Test USDC', symbol: 'USDC', decimals, owner }));
  await act(owner, null, deployTestTokenData({ name: 'Test USDT', symbol: 'USDT', decimals: 6, owner }));

  const call = (name: string, args: unknown[]): string => testTokenInterface.encodeFunctionData(name, args);
  const world: World = {
    anvil,
    chainId: anvil.chainId,
    router,
    owner,
    usdc,
    decimals,
    usdt,
    senderKeys: senders.map(({ privateKey }) => privateKey),
    mine,
    act,
    pump: () => startPump(send),
    async isPending(hash) {
      return foundTransaction.parse(await send('eth_getTransactionByHash', [hash]))?.blockHash === null;
    },
    async deployRouter() {
      const nonce = Number(await send('eth_getTransactionCount', [owner, 'latest']));
      await act(owner, null, deployRouterData(owner, accepted, payeeDelay));
      return getCreateAddress({ from: owner, nonce });
    },
    async payer(merchantId, { balance = MILLION, allowance = UNLIMITED, token = usdc, ...grant } = {}) {
      const { address } = HDNodeWallet.createRandom();
      await fund(address);
      if (balance > 0n) await world.mint(address, balance, token);
      if (allowance > 0n) await world.approve(address, merchantId, allowance, token, grant.router);
      return address;
    },
    approve: (wallet, merchantId, amount, token = usdc, of = router) =>
      act(wallet, token, call('approve', [operatorAddress(of, merchantId, 'test'), amount])),
    mint: (wallet, amount, token = usdc) => act(owner, token, call('mint', [wallet, amount])),
    async balanceOf(wallet, token = usdc) {
      const data = call('balanceOf', [wallet]);
      return BigInt(String(await send('eth_call', [{ to: token, data }, 'latest'])));
    },
    transfers: (token = usdc) => readTransfers(send, token),
    stop: () => anvil.stop(),
  };
  return world;
}

const foundTransaction = z.object({ blockHash: z.string().nullable() }).nullable();

const poolStatus = z.object({ pending: z.coerce.number() });

async function poolSize(send: (method: string, params: unknown[]) => Promise<unknown>): Promise<number> {
  return poolStatus.parse(await send('txpool_status', [])).pending;
}

/** Checks every 20 ms and mines when something is pending, as the local devnet does. */
function startPump(send: (method: string, params: unknown[]) => Promise<unknown>): () => void {
  let going = true;
  const run = async (): Promise<void> => {
    while (going) {
      try {
        const waiting = await poolSize(send);
        if (going && waiting > 0) await send('evm_mine', []);
      } catch {
        return;
      }
      await delay(20);
    }
  };
  void run();
  return () => {
    going = false;
  };
}

const erc20 = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);

async function readTransfers(
  send: (method: string, params: unknown[]) => Promise<unknown>,
  token: string,
): Promise<Transfer[]> {
  const filter = {
    fromBlock: '0x0',
    toBlock: 'latest',
    address: token,
    topics: [id('Transfer(address,address,uint256)')],
  };
  const logs = z
    .array(z.object({ topics: z.array(z.string()), data: z.string(), transactionHash: z.string() }))
    .parse(await send('eth_getLogs', [filter]));
  return logs.flatMap(({ topics, data, transactionHash }) => {
    const args = erc20.decodeEventLog('Transfer', data, topics).toObject();
    const { from, to, value } = z.object({ from: z.string(), to: z.string(), value: z.bigint() }).parse(args);
    return from === ZeroAddress ? [] : [{ from, to, amount: value, txHash: transactionHash }];
  });
}

let made = 0;

export interface ChargeWish {
  readonly from: string;
  readonly merchantId?: string;
  readonly gross?: bigint;
  readonly shares?: readonly (readonly [role: ShareRole, to: string, amount: bigint])[];
  readonly token?: string;
  readonly router?: string;
  readonly key?: string;
  readonly attempt?: number;
}

/** A waiting charge of a new payment: 10 tokens of 6 decimals, 9.90 to the merchant and 0.10 to the platform. */
export function waitingCharge(world: Pick<World, 'chainId' | 'usdc'>, wish: ChargeWish): ChargeDoc {
  made += 1;
  const { from, merchantId = 'mrc_a', gross = 10_000_000n, token = world.usdc, attempt = 1 } = wish;
  const key = wish.key ?? id(`charge ${made} of ${process.pid} ${Math.random()}`);
  const fee = gross / 100n;
  const shares = wish.shares ?? [
    ['forward', MERCHANT, gross - fee],
    ['platform', PLATFORM, fee],
  ];
  const now = new Date();
  return {
    _id: `${key}:${attempt}`,
    key,
    attempt,
    paymentId: `pay_${key}`,
    merchantId,
    mode: 'test',
    chainId: world.chainId,
    token,
    from,
    gross: String(gross),
    shares: shares.map(([role, to, amount]) => ({ role, to, amount: String(amount) })),
    ...(wish.router === undefined ? {} : { router: wish.router }),
    isCycle: false,
    state: 'waiting',
    lane: null,
    transactionId: null,
    txHash: null,
    block: null,
    reason: null,
    notBefore: now,
    createdAt: now,
    updatedAt: now,
  };
}

export const MERCHANT = getAddress('0x00000000000000000000000000000000000a11ce');
export const PLATFORM = getAddress('0x0000000000000000000000000000000000000b0b');

export const coder = AbiCoder.defaultAbiCoder();
