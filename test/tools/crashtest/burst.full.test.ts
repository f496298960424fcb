import { JsonRpcProvider } from 'ethers';
import { readTransfers } from '../../../stage/erc20.ts';
import { countOf, drain, untilQuiet } from '../../../tools/bench/settlement/drain.ts';
import { openEvmMarket } from '../../../tools/bench/settlement/evm-market.ts';
import { PRICE, workerEnv } from '../../../tools/bench/settlement/market.ts';
import { withWorld } from '../../../tools/bench/world.ts';
import { quietRun } from '../support/quiet-run.ts';

const COUNT = 200;

it('subscriptions that fall due at one moment are each charged once, by two workers', async () => {
  await withWorld(quietRun(), { evm: true }, async (world) => {
    const market = await openEvmMarket(world, COUNT);
    await Promise.all([world.service(workerEnv(world)), world.service(workerEnv(world))]);
    await drain(market, 'cycles', COUNT);
    await untilQuiet(world);
    const provider = new JsonRpcProvider(market.rpcUrl);
    world.onStop(async () => provider.destroy());
    const transfers = await readTransfers(provider, market.playing, [0, 'latest']);
    const payers = new Set(market.payers);
    const pulls = transfers.filter(({ from }) => payers.has(from));
    expect(pulls.map(({ value }) => value)).toEqual(market.payers.map(() => PRICE));
    expect(new Set(pulls.map(({ from }) => from))).toEqual(payers);
    expect(await countOf(world, 'events')).toBe(COUNT);
  });
}, 240_000);
