import { Interface, type JsonRpcProvider } from 'ethers';
import { z } from 'zod';

/** The standard ABI of a token, and a stablecoin's switch. Not the service's own: the demo judges independently. */
export const erc20 = new Interface([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function setFrozen(address account, bool value)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** One Transfer log. Amounts are base units; addresses are checksummed. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly txHash: string;
}

const transfer = z.object({ from: z.string(), to: z.string(), value: z.bigint() });

/** Every Transfer of a token in these blocks, both included, in the chain's order. */
export async function readTransfers(
  provider: JsonRpcProvider,
  token: string,
  [fromBlock, toBlock]: readonly [from: number, to: number | 'latest'],
): Promise<Transfer[]> {
  const topic = erc20.getEvent('Transfer')?.topicHash ?? null;
  const logs = await provider.getLogs({ address: token, topics: [topic], fromBlock, toBlock });
  return logs.map((log) => {
    const args = erc20.decodeEventLog('Transfer', log.data, log.topics).toObject();
    return { ...transfer.parse(args), txHash: log.transactionHash };
  });
}
