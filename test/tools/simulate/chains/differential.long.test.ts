import fc from 'fast-check';
import { encodeSeen, merchantSalt, routerInterface } from '../../../../src/chains/evm/contracts/router.ts';
import { addressOf, EVERYBODY, PAYERS, type Step } from './differential/actors.ts';
import { AGREEMENTS, CYCLES } from './differential/mandate-step.ts';
import {
  BOUND,
  cloneInterface,
  erc20,
  KEYS,
  MERCHANTS,
  type Named,
  RealPlace,
  type SimulatedChain,
  simulatedPlace,
  TOKENS,
} from './differential/place.ts';
import { beginning, cornerSteps, steps } from './differential/step.ts';

const SEED = 20_261_120;
const RUNS = 40;

/** Errors and events that the runs must reach. */
const RULES = [
  'BadSignature',
  'Revoked',
  'Superseded',
  'TooEarly',
  'TooLate',
  'AheadOfRhythm',
  'UsedUp',
  'AbovePerCharge',
  'AboveFee',
  'NotPayee',
  'CycleOutOfRange',
  'Seen',
  'SharePullFailed',
  'ArrivalMismatch',
  'NotGuardian',
  'BadPayee',
];
const EVENTS = ['MandateUsed', 'AgreementRevoked', 'PayeeAnnounced', 'PayeeWithdrawn', 'GuardianChanged'];

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
      for (const of of [...MERCHANTS, ...BOUND]) {
        said.push(ask(at, erc20.encodeFunctionData('allowance', [wallet, named[of]])));
      }
    }
  }
  for (const clone of [...MERCHANTS, ...BOUND, ...KEYS.map((_, index) => `deposit${index}`)]) {
    said.push(ask(addressOf(named, clone), cloneInterface.encodeFunctionData('router')));
  }
  for (const key of KEYS) said.push(ask(addressOf(named, 'router'), encodeSeen(key)));
  for (const data of questions(named)) said.push(ask(addressOf(named, 'router'), data));
  return Promise.all(said);
}

/** Calls of all views of the router that tell about mandates. */
function questions(named: Named): string[] {
  const question = (name: string, ...values: readonly unknown[]): string => {
    return routerInterface.encodeFunctionData(name, values);
  };
  const all = ['mandateImplementation', 'MOST_AHEAD', 'SIGNATURE_GAS', 'payeeDelay', 'guardian', 'paused'].map((name) =>
    question(name),
  );
  for (const merchant of MERCHANTS.map((each) => merchantSalt(each, 'test'))) {
    all.push(question('mandateOperatorOf', merchant));
    for (const who of EVERYBODY) all.push(question('payeeFrom', merchant, addressOf(named, who)));
    for (const agreement of AGREEMENTS) {
      for (const { address: payer } of PAYERS) {
        all.push(question('agreementOf', payer, merchant, agreement));
        for (const cycle of CYCLES) all.push(question('cycleSeen', payer, merchant, agreement, cycle));
      }
    }
  }
  return [...all, ...CYCLES.map((cycle) => question('cycleKey', AGREEMENTS[0], cycle))];
}

/** The names of the expected errors and events that are not in the texts. */
function missingIn(texts: readonly string[]): string[] {
  const marks = [
    ...RULES.map((name) => [name, routerInterface.getError(name)?.selector.slice(2)] as const),
    ...EVENTS.map((name) => [name, routerInterface.getEvent(name)?.topicHash.slice(2)] as const),
  ];
  return marks.flatMap(([name, mark = name]) => (texts.some((text) => text.includes(mark)) ? [] : [name]));
}

describe('the same calls on anvil and on a simulated chain', () => {
  let real: RealPlace;
  const landed = { ok: 0, reverted: 0 };
  const told: string[] = [];

  /** Does the same in both places, and compares all that they answer, log and keep. */
  async function compare(list: readonly Step[]): Promise<void> {
    const [there, here] = [await real.place(), simulatedPlace()];
    await begin(here);
    for (const { title, call, wait } of list) {
      const [asked, also] = [there, here].map((place) => call(place.named, place.chainId));
      if (!asked || !also) throw new Error('two places');
      const answer = await there.ask(asked);
      expect([title, await here.ask(also)]).toEqual([title, answer]);
      const outcome = await there.land(asked, wait);
      expect([title, await here.land(also, wait)]).toEqual([title, outcome]);
      landed[outcome.ok ? 'ok' : 'reverted'] += 1;
      told.push(answer.data, ...outcome.logs);
    }
    expect(await standing(here)).toEqual(await standing(there));
  }

  beforeAll(async () => {
    real = await RealPlace.start();
    await real.begin(begin);
  }, 120_000);
  afterAll(() => real?.stop());

  it('end the same in corners of the rules for mandates', () => compare(cornerSteps));

  it('answer, revert and log the same, and leave the same balances, allowances and keys', async () => {
    await fc.assert(fc.asyncProperty(steps, compare), { seed: SEED, numRuns: RUNS });
    expect(Math.min(landed.ok, landed.reverted)).toBeGreaterThan(10);
    expect(missingIn(told)).toEqual([]);
  }, 180_000);
});
