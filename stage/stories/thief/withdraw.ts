import { Wallet } from 'ethers';
import { localKey } from '../../../devnet/evm-wallets.ts';
import { merchantSalt, routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import type { Setting } from '../../setting.ts';
import { until } from '../../until.ts';
import type { Scene } from './cast.ts';

const PATIENCE_MS = 20_000;

/** The service reports a payee that it did not announce, until the owner of the router withdraws it. */
export async function withdraw({ stage, merchant }: Scene, payee: string): Promise<void> {
  const { chain, narrator, expect } = stage;
  const reports = (text: string) => text.includes(payee.toLowerCase());
  expect.equal('The service reports the payee', reports(await healthOf(stage, reports)), true);
  const owner = new Wallet(localKey('owner of the router').privateKey, chain.provider);
  const args = [merchantSalt(merchant.id, 'test'), payee];
  const data = routerInterface.encodeFunctionData('withdrawPayee', args);
  const { hash } = await chain.send(owner, { to: chain.router, data });
  narrator.add({ what: "the owner withdraws the thief's payee", txHash: hash });
  const isOver = (text: string) => !reports(text);
  expect.equal('The service reports it no more', isOver(await healthOf(stage, isOver)), true);
}

/** The text of `/health`, as soon as it is as wanted, or at last. */
async function healthOf(stage: Setting, isWanted: (text: string) => boolean): Promise<string> {
  const headers = { Authorization: `Bearer ${stage.staff().token}` };
  const health = async () => (await (await fetch(`${stage.url}/health`, { headers })).text()).toLowerCase();
  return until('health is as wanted', health, isWanted, { withinMs: PATIENCE_MS, orLast: true });
}
