import { Interface, type TransactionRequest, Wallet } from 'ethers';
import { type DevnetFacts, tokenNamed, walletNamed } from '../../../scripts/lib/devnet-facts.ts';
import { deployTestTokenData, testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { connectTo } from '../../../stage/connect.ts';
import { receiptOf } from '../../../stage/receipt.ts';
import { PLAYING_TOKEN_KEY } from '../../../stage/sale.ts';

const erc20 = new Interface([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
]);

/** A transfer that a test wallet signs itself, in a block when it resolves; base units. */
export function send(facts: DevnetFacts, from: string, to: string, amount: bigint, token?: string): Promise<string> {
  return act(facts, from, 'transfer', [to, amount], token);
}

/** A token outside of every catalog; the wallet has a million units of 6 decimals. */
export async function strangeToken(facts: DevnetFacts, of: string): Promise<string> {
  const { address: owner } = walletNamed(facts, of);
  const data = deployTestTokenData({ name: 'Bridged USD', symbol: 'USDC.e', decimals: 6, owner });
  const token = (await sent(facts, of, { data })).contractAddress;
  if (token === null) throw new Error('no contract was made');
  const mint = testTokenInterface.encodeFunctionData('mint', [owner, 10n ** 12n]);
  await sent(facts, of, { to: token, data: mint });
  return token;
}

/** A transfer of any token by its address, or with null of the native coin, in a block when it resolves; base units. */
export async function sendAny(
  facts: DevnetFacts,
  from: string,
  to: string,
  amount: bigint,
  token: string | null,
): Promise<void> {
  const data = erc20.encodeFunctionData('transfer', [to, amount]);
  await sent(facts, from, token === null ? { to, value: amount } : { to: token, data });
}

/** An address's balance of any token, or with null of the native coin. */
export async function balanceOf(facts: DevnetFacts, address: string, token: string | null): Promise<bigint> {
  const provider = connectTo(facts);
  try {
    if (token === null) return await provider.getBalance(address);
    return BigInt(await provider.call({ to: token, data: erc20.encodeFunctionData('balanceOf', [address]) }));
  } finally {
    provider.destroy();
  }
}

async function sent(facts: DevnetFacts, signer: string, request: TransactionRequest) {
  const provider = connectTo(facts);
  try {
    const wallet = new Wallet(walletNamed(facts, signer).privateKey, provider);
    return await receiptOf(provider, (await wallet.sendTransaction(request)).hash);
  } finally {
    provider.destroy();
  }
}

async function act(
  facts: DevnetFacts,
  signer: string,
  name: string,
  args: readonly unknown[],
  token = PLAYING_TOKEN_KEY,
): Promise<string> {
  const data = erc20.encodeFunctionData(name, [...args]);
  return (await sent(facts, signer, { to: tokenNamed(facts, token), data })).hash;
}
