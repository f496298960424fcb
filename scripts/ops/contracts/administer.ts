import { type JsonRpcProvider, ZeroAddress } from 'ethers';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { Signer } from '../../../src/chains/evm/signer.ts';
import type { Report } from './deploy.ts';

/** A call by the owner of a router, or `by` its guardian too. If `view` answers `done`, there is nothing to do. */
interface Action {
  readonly by: 'owner' | 'guardian';
  readonly call: string;
  readonly view: string;
  /** Null: the argument of the call. */
  readonly done: string | null;
  readonly words: string;
}

export const ACTIONS = {
  pause: { by: 'guardian', call: 'pause', view: 'paused', done: 'true', words: 'paused already' },
  unpause: { by: 'owner', call: 'unpause', view: 'paused', done: 'false', words: 'not paused' },
  'remove-sender': { by: 'guardian', call: 'removeSender', view: 'isSender', done: 'false', words: 'not a sender' },
  'add-sender': { by: 'owner', call: 'addSender', view: 'isSender', done: 'true', words: 'a sender already' },
  'set-guardian': { by: 'owner', call: 'setGuardian', view: 'guardian', done: null, words: 'the guardian already' },
  'withdraw-payee': {
    by: 'guardian',
    call: 'withdrawPayee',
    view: 'announcementOf',
    done: '0',
    words: 'not announced',
  },
} as const satisfies Readonly<Record<string, Action>>;

/** Who calls: a key, or null for the owner, and an address whose key is elsewhere. */
export type Caller = Signer | { readonly address: string } | null;

/**
 * Calls a router, and waits for the block; without a key it only asks, and reports the call for a multi-signature
 * wallet. It sends nothing that the router refuses, or that changes nothing.
 *
 * @throws Error with one sentence: there is no router, or the caller has not this power
 */
export async function administer(
  provider: JsonRpcProvider,
  router: string,
  plan: { readonly action: Action; readonly args: readonly string[]; readonly caller: Caller },
  report: Report,
): Promise<void> {
  const { action, args, caller } = plan;
  const read = async (view: string): Promise<string> => {
    const data = routerInterface.encodeFunctionData(view, routerInterface.getFunction(view)?.inputs.length ? args : []);
    const answer = await provider.call({ to: router, data });
    if (answer === '0x') throw new Error(`There is no router at ${router}`);
    return String(routerInterface.decodeFunctionResult(view, answer)[0]);
  };
  const [owner, guardian, state] = [await read('owner'), await read('guardian'), await read(action.view)];
  const from = caller?.address ?? owner;
  const powers = action.by === 'owner' || guardian === ZeroAddress ? [owner] : [owner, guardian];
  if (!powers.includes(from)) {
    throw new Error(`${from} is not the ${action.by} of ${router}: only ${powers.join(' and ')} can ${action.call}`);
  }
  report('router', router);
  if (state === (action.done ?? args[0]))
    return report('nothing to do', [...args.slice(-1), action.words].join(' is '));
  const data = routerInterface.encodeFunctionData(action.call, args);
  const gas = await provider.estimateGas({ from, to: router, data });
  report('call', `${action.call}(${args.join(', ')}) by ${from}, ${gas} gas`);
  if (caller !== null && 'signTransaction' in caller) return send(provider, caller, { to: router, data, gas }, report);
  report('to', `${router}, value 0`);
  report('data', data);
}

const INCLUDED_WITHIN_MS = 180_000;

async function send(
  provider: JsonRpcProvider,
  signer: Signer,
  { gas, ...call }: { readonly to: string; readonly data: string; readonly gas: bigint },
  report: Report,
): Promise<void> {
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = await provider.getFeeData();
  const { hash } = await provider.broadcastTransaction(
    await signer.signTransaction({
      ...{ ...call, type: 2, value: 0n, gasLimit: (gas * 3n) / 2n },
      chainId: (await provider.getNetwork()).chainId,
      nonce: await provider.getTransactionCount(signer.address, 'pending'),
      maxFeePerGas: maxFeePerGas ?? gasPrice,
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice,
    }),
  );
  report('transaction', hash);
  const receipt = await provider.waitForTransaction(hash, 1, INCLUDED_WITHIN_MS);
  if (receipt?.status !== 1) throw new Error(`Transaction ${hash} reverted`);
  report('done', `in block ${receipt.blockNumber}`);
}
