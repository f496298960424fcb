import { getAddress, getCreateAddress, JsonRpcProvider, Network, Wallet, ZeroAddress } from 'ethers';
import { deployRouterData } from '../../../src/chains/evm/contracts/router.ts';
import { routerTrouble } from '../../../src/chains/evm/contracts/router-code.ts';

/** The deployment and its payer. `rpcUrl` and `deployerKey` are secrets: neither is ever printed. */
export type DeployPlan = {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly deployerKey: string;
  readonly owner: string;
  /** The zero address: there is none. */
  readonly guardian: string;
  readonly senders: readonly string[];
  /** Seconds for which an announced payee waits. */
  readonly payeeDelay: number;
};

/** Gets each step, before or after it happens. */
export type Report = (label: string, value: string) => void;

/**
 * Deploys a router, waits until it is in a block, and checks its code and the code of its implementations.
 *
 * @returns the router's address, checksummed
 * @throws Error with the problem: another chain than requested, too little of the native coin, a reverted transaction,
 * or code that differs from this repository's
 */
export function deployRouter(plan: DeployPlan, report: Report): Promise<string> {
  return withNode(plan, (provider) => deployThrough(provider, plan, report));
}

/** Opens a node for `use`, and always closes it. Throws an Error if it is of another chain. */
export async function withNode<T>(
  { chainId, rpcUrl }: Pick<DeployPlan, 'chainId' | 'rpcUrl'>,
  use: (provider: JsonRpcProvider) => Promise<T>,
): Promise<T> {
  const provider = new JsonRpcProvider(rpcUrl, chainId, {
    staticNetwork: Network.from(chainId),
    cacheTimeout: -1,
    batchStallTime: 0,
    pollingInterval: 500,
  });
  try {
    const found = Number(await provider.send('eth_chainId', []));
    if (found !== chainId) throw new Error(`RPC_URL_${chainId} is a node of chain ${found}`);
    return await use(provider);
  } finally {
    provider.destroy();
  }
}

async function deployThrough(provider: JsonRpcProvider, plan: DeployPlan, report: Report): Promise<string> {
  const wallet = new Wallet(plan.deployerKey, provider);
  const data = deployRouterData(plan.owner, plan.senders, plan.payeeDelay, plan.guardian);
  const nonce = await provider.getTransactionCount(wallet.address, 'latest');
  report('deployer', wallet.address);
  report('owner', getAddress(plan.owner));
  report('guardian', plan.guardian === ZeroAddress ? 'none' : getAddress(plan.guardian));
  for (const sender of plan.senders) report('sender', getAddress(sender));
  report('payee delay', `${plan.payeeDelay} s`);
  await requireFunds(provider, wallet.address, data);

  const sent = await wallet.sendTransaction({ data, nonce });
  report('transaction', sent.hash);
  const receipt = await sent.wait();
  const router = getCreateAddress({ from: wallet.address, nonce });
  if (receipt?.contractAddress !== router)
    throw new Error(`Transaction ${sent.hash} did not make the router ${router}`);
  report('gas', String(receipt.gasUsed));
  const trouble = await routerTrouble((address) => provider.getCode(address), router);
  if (trouble !== null) throw new Error(trouble);
  return router;
}

async function requireFunds(provider: JsonRpcProvider, from: string, data: string): Promise<void> {
  const [balance, gas, fees] = await Promise.all([
    provider.getBalance(from),
    provider.estimateGas({ from, data }),
    provider.getFeeData(),
  ]);
  const needed = gas * (fees.maxFeePerGas ?? fees.gasPrice ?? 0n);
  if (balance < needed) throw new Error(`The deployer ${from} has ${balance} wei; deploying may cost ${needed} wei`);
}
