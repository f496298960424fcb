import { randomBytes } from 'node:crypto';
import { hexlify, Interface, type JsonRpcProvider, type TransactionLike, Wallet } from 'ethers';
import { z } from 'zod';
import { type DevnetFacts, tokenNamed, walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { connectTo } from '../../../stage/connect.ts';
import { receiptOf } from '../../../stage/receipt.ts';
import { operatorOf, type Payer, PLAYING_TOKEN_KEY, PRICE } from '../../../stage/sale.ts';
import { spread } from '../../lib/spread.ts';
import type { World } from '../world.ts';

/** The balance and allowance of each payer: two charges, and the reserve for the next one. */
const CHARGES = 3n;

const GAS_COINS = '0x8ac7230489e80000';
const CONNECTIONS = 16;

const erc20 = new Interface([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
]);
const withId = z.object({ id: z.string() });

/**
 * Makes payers with a wallet and a customer each. They approve exactly the amount that they need, so that every charge
 * counts.
 */
export async function makePayers(world: World, count: number): Promise<Payer[]> {
  const wallets = Array.from({ length: count }, () => new Wallet(hexlify(randomBytes(32))));
  const provider = connectTo(world.facts);
  try {
    await spread(wallets, CONNECTIONS, ({ address }) => provider.send('anvil_setBalance', [address, GAS_COINS]));
    await giveTokens(world.facts, provider, wallets);
    await approveEach(world, provider, wallets);
  } finally {
    provider.destroy();
  }
  return spread(wallets, CONNECTIONS, async ({ address }): Promise<Payer> => {
    const body = { wallets: [{ chainFamily: 'evm', address }] };
    return {
      wallet: address,
      signer: null,
      customerId: withId.parse(await world.merchant.call('POST', '/customers', body)).id,
    };
  });
}

/** Sends the tokens from a test wallet that has enough. */
async function giveTokens(facts: DevnetFacts, provider: JsonRpcProvider, wallets: readonly Wallet[]): Promise<void> {
  const giver = new Wallet(walletNamed(facts, 'payer-1').privateKey);
  const first = await provider.getTransactionCount(giver.address);
  const to = tokenNamed(facts, PLAYING_TOKEN_KEY);
  const calls = wallets.map(({ address }, index) => {
    const data = erc20.encodeFunctionData('transfer', [address, CHARGES * PRICE.baseUnits]);
    return { from: giver, transaction: { to, data, nonce: first + index } };
  });
  await sendAll(provider, calls);
}

async function approveEach(world: World, provider: JsonRpcProvider, wallets: readonly Wallet[]): Promise<void> {
  const operator = await operatorOf(world.merchant);
  const to = tokenNamed(world.facts, PLAYING_TOKEN_KEY);
  const data = erc20.encodeFunctionData('approve', [operator, CHARGES * PRICE.baseUnits]);
  await sendAll(
    provider,
    wallets.map((from) => ({ from, transaction: { to, data, nonce: 0 } })),
  );
}

interface Call {
  readonly from: Wallet;
  readonly transaction: TransactionLike;
}

/** Signs and sends all calls, and waits until blocks contain them. Throws if one reverted. */
async function sendAll(provider: JsonRpcProvider, calls: readonly Call[]): Promise<void> {
  const { chainId } = await provider.getNetwork();
  const { maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData();
  const common = { type: 2, chainId, gasLimit: 120_000n, maxFeePerGas, maxPriorityFeePerGas };
  const hashes = await spread(calls, CONNECTIONS, async ({ from, transaction }) => {
    const raw = await from.signTransaction({ ...common, ...transaction });
    return String(await provider.send('eth_sendRawTransaction', [raw]));
  });
  await spread(hashes, CONNECTIONS, async (hash) => void (await receiptOf(provider, hash)));
}
