import { Contract, JsonRpcProvider } from 'ethers';

export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly txHash: string;
}

const TRANSFER = 'event Transfer(address indexed from, address indexed to, uint256 value)';

/** Every Transfer log of a token from one wallet: the judge of what has moved. */
export async function transfersFrom(rpcUrl: string, token: string, from: string): Promise<Transfer[]> {
  const provider = new JsonRpcProvider(rpcUrl, 31337, { staticNetwork: true, cacheTimeout: -1 });
  try {
    const contract = new Contract(token, [TRANSFER], provider);
    const filter = contract.filters['Transfer']?.(from);
    if (!filter) throw new Error('no Transfer event');
    const logs = await contract.queryFilter(filter, 0, 'latest');
    return logs.flatMap((log) =>
      'args' in log
        ? [
            {
              from: String(log.args[0]),
              to: String(log.args[1]),
              amount: BigInt(log.args[2]),
              txHash: log.transactionHash,
            },
          ]
        : [],
    );
  } finally {
    provider.destroy();
  }
}
