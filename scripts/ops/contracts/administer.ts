import { type JsonRpcProvider, ZeroAddress } from 'ethers';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { Signer } from '../../../src/chains/evm/signer.ts';
import type { Report } from './deploy.ts';

/** A call by a router's owner, or also its guardian. Nothing to do if the view answers `done` (null: the argument). */
type Action = readonly [by: 'owner' | 'guardian', call: string, view: string, done: string | null, words: string];

export const ACTIONS = {
  pause: ['guardian', 'pause', 'paused', 'true', 'paused already'],
  unpause: ['owner', 'unpause', 'paused', 'false', 'not paused'],
  'remove-sender': ['guardian', 'removeSender', 'isSender', 'false', 'not a sender'],
  'add-sender': ['owner', 'addSender', 'isSender', 'true', 'a sender already'],
  'set-guardian': ['owner', 'setGuardian', 'guardian', null, 'the guardian already'],
  'withdraw-payee': ['guardian', 'withdrawPayee', 'announcementOf', '0', 'not announced'],
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
  const { args, caller } = plan;
  const [by, method, stateView, done, words] = plan.action;
  const read = async (view: string): Promise<string> => {
    const data = routerInterface.encodeFunctionData(view, routerInterface.getFunction(view)?.inputs.length ? args : []);
    const answer = await provider.call({ to: router, data });
    if (answer === '0x') throw new Error(`There is no router at ${router}`);
    return String(routerInterface.decodeFunctionResult(view, answer)[0]);
  };
  const [owner, guardian, state] = [await read('owner'), await read('guardian'), await read(stateView)];
  const from = caller?.address ?? owner;
  const powers = by === 'owner' || guardian === ZeroAddress ? [owner] : [owner, guardian];
  if (!powers.includes(from)) {
    throw new Error(`${from} is not the ${by} of ${router}: only ${powers.join(' and ')} can ${method}`);
  }
  report('router', router);
  if (state === (done ?? args[0])) return report('nothing to do', [...args.slice(-1), words].join(' is '));
  const data = routerInterface.encodeFunctionData(method, args);
  const gas = await provider.estimateGas({ from, to: router, data });
  report('call', `${method}(${args.join(', ')}) by ${from}, ${gas} gas`);
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
