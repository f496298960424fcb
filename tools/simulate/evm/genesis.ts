import { MULTICALL3_CODE } from '../../../devnet/evm-multicall.ts';
import { deployRouterData } from '../../../src/chains/evm/contracts/router.ts';
import { deployTestTokenData } from '../../../src/chains/evm/contracts/test-token.ts';
import { MULTICALL3 } from '../../../src/chains/evm/multicall.ts';
import { Draft, weiOf } from './cells.ts';
import { BLOCK_GAS_LIMIT, execute } from './execute.ts';
import { putCode } from './state.ts';
import type { SimEvmWorld } from './world.ts';

const ENOUGH_WEI = 10_000n * 10n ** 18n;

/** The cells of first blocks, by the worlds that they contain. */
const known = new Map<string, Promise<ReadonlyMap<string, bigint>>>();

/** The cells of a chain's first block, in which the owner has deployed its contracts and the senders have gas. */
export function genesisOf(world: SimEvmWorld): Promise<ReadonlyMap<string, bigint>> {
  const { owner, senders, tokens } = world;
  const name = JSON.stringify([owner, senders, tokens]);
  const made = known.get(name) ?? deploy(world);
  known.set(name, made);
  return made;
}

async function deploy({ owner, senders, tokens }: SimEvmWorld): Promise<ReadonlyMap<string, bigint>> {
  const cells = new Draft(() => 0n);
  for (const sender of senders) cells.set(weiOf(sender.toLowerCase()), ENOUGH_WEI);
  putCode(cells, MULTICALL3.toLowerCase(), MULTICALL3_CODE);
  const deployments = [
    deployRouterData(owner, senders),
    ...tokens.map(({ ticker, decimals }) =>
      deployTestTokenData({ name: `Test ${ticker}`, symbol: ticker, decimals, owner }),
    ),
  ];
  for (const data of deployments) {
    const creation = { from: owner.toLowerCase(), to: null, data, value: 0n };
    const block = { number: 0, timestamp: 0, baseFee: 0n };
    const { end, changes } = await execute((cell) => cells.get(cell), creation, block, BLOCK_GAS_LIMIT);
    if (end !== 'returned') throw new Error(`a contract of the first block could not be deployed: it ${end}`);
    cells.apply(changes);
  }
  return cells.changes;
}
