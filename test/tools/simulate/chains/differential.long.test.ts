import fc from 'fast-check';
import { encodeSeen } from '../../../../src/chains/evm/contracts/router.ts';
import {
  erc20,
  KEYS,
  MERCHANTS,
  RealPlace,
  type SimulatedChain,
  simulatedPlace,
  TOKENS,
} from './differential/place.ts';
import { addressOf, beginning, EVERYBODY, steps } from './differential/step.ts';

const SEED = 20_261_120;
const RUNS = 8;

async function begin(place: SimulatedChain): Promise<void> {
  for (const { title, call } of beginning) {
    if (!(await place.land(call(place.named, place.chainId))).ok) throw new Error(`${title}: reverted`);
  }
}

/** The final state of tokens and router. */
async function standing(place: SimulatedChain): Promise<string[]> {
  const { named } = place;
  const ask = async (to: string, data: string): Promise<string> => {
    return (await place.ask({ from: addressOf(named, 'nobody'), to, data })).data;
  };
  const said: Promise<string>[] = [];
  for (const token of TOKENS) {
    const at = addressOf(named, token);
    said.push(ask(at, erc20.encodeFunctionData('totalSupply')));
    for (const who of EVERYBODY) {
      const wallet = addressOf(named, who);
      said.push(ask(at, erc20.encodeFunctionData('balanceOf', [wallet])));
      for (const of of MERCHANTS) said.push(ask(at, erc20.encodeFunctionData('allowance', [wallet, named[of]])));
    }
  }
  for (const key of KEYS) said.push(ask(addressOf(named, 'router'), encodeSeen(key)));
  return Promise.all(said);
}

describe('the same calls on anvil and on a simulated chain', () => {
  let real: RealPlace;

  beforeAll(async () => {
    real = await RealPlace.start();
    await real.begin(begin);
  }, 120_000);
  afterAll(() => real?.stop());

  it('answer, revert and log the same, and leave the same balances, allowances and keys', async () => {
    const landed = { ok: 0, reverted: 0 };
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const [there, here] = [await real.place(), simulatedPlace()];
        await begin(here);
        for (const { title, call } of list) {
          const [asked, also] = [there, here].map((place) => call(place.named, place.chainId));
          if (!asked || !also) throw new Error('two places');
          expect([title, await here.ask(also)]).toEqual([title, await there.ask(asked)]);
          const outcome = await there.land(asked);
          expect([title, await here.land(also)]).toEqual([title, outcome]);
          landed[outcome.ok ? 'ok' : 'reverted'] += 1;
        }
        expect(await standing(here)).toEqual(await standing(there));
      }),
      { seed: SEED, numRuns: RUNS },
    );
    expect(Math.min(landed.ok, landed.reverted)).toBeGreaterThan(10);
  }, 120_000);
});
