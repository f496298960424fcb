import { Interface, Wallet } from 'ethers';
import { connectTo } from '../../../scripts/crashtest/chain.ts';
import { type DevnetFacts, tokenNamed, walletNamed } from '../../../scripts/crashtest/devnet-facts.ts';
import { PLAYING_TOKEN_KEY } from '../../../scripts/crashtest/shop.ts';
import { receiptOf } from '../../../scripts/lib/receipt.ts';

const erc20 = new Interface([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

/** A transfer of a test wallet itself, in a block when it resolves; base units. */
export function send(facts: DevnetFacts, from: string, to: string, amount: bigint, token?: string): Promise<string> {
  return act(facts, from, 'transfer', [to, amount], token);
}

/** The same, but another wallet signs the transaction, as an exchange or a contract does. */
export async function sendThrough(
  facts: DevnetFacts,
  { from, signer }: { readonly from: string; readonly signer: string },
  to: string,
  amount: bigint,
): Promise<string> {
  await act(facts, from, 'approve', [walletNamed(facts, signer).address, amount]);
  return act(facts, signer, 'transferFrom', [walletNamed(facts, from).address, to, amount]);
}

async function act(
  facts: DevnetFacts,
  signer: string,
  name: string,
  args: readonly unknown[],
  token = PLAYING_TOKEN_KEY,
): Promise<string> {
  const provider = connectTo(facts);
  try {
    const wallet = new Wallet(walletNamed(facts, signer).privateKey, provider);
    const data = erc20.encodeFunctionData(name, [...args]);
    const sent = await wallet.sendTransaction({ to: tokenNamed(facts, token), data });
    await receiptOf(provider, sent.hash);
    return sent.hash;
  } finally {
    provider.destroy();
  }
}
