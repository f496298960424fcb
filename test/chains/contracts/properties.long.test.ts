import { answeredIn, findingsIn } from '../../../tools/contracts/findings.ts';
import { type Check, findings, isInstalled, properties, rules, runCheck } from '../../../tools/contracts/programs.ts';
import { read } from '../../support/repository.ts';

/** `npm run prove -- contracts` makes 10,000. */
const RUNS = 40;
/** The first run compiles. */
const TIMEOUT_MS = 600_000;

function describeWith(check: Check): typeof describe | typeof describe.skip {
  return isInstalled(check) ? describe : describe.skip;
}

async function outputOf(check: Check): Promise<string> {
  const { code, output } = await runCheck(check, { isShown: false });
  expect([code, output]).toEqual([0, output]);
  return output;
}

describeWith(properties(RUNS))('in any order of calls', () => {
  it(
    'P1 to P5: no money moves but what payers have agreed to',
    async () => {
      const output = await outputOf(properties(RUNS, 'ConsentTest'));
      // Else no charge was made, and nothing was tried.
      const [, calls, discards] = /\| chargesAgain +\| (\d+) +\| 0 +\| (\d+)/.exec(output) ?? [];
      expect(Number(calls) - Number(discards)).toBeGreaterThan(RUNS / 3);
    },
    TIMEOUT_MS,
  );

  it(
    'A1: nobody stops a batch, or the charge of somebody else',
    async () => {
      expect(await outputOf(properties(RUNS, 'BatchTest'))).toContain('[PASS] invariant_batch()');
    },
    TIMEOUT_MS,
  );

  it(
    'months are those of the calendar, for each day of 400 years',
    async () => {
      expect(await outputOf(properties(RUNS, 'MonthsTest'))).toContain('[PASS] test_everyDayOf400Years()');
    },
    TIMEOUT_MS,
  );
});

describeWith(rules)('for all inputs', () => {
  it(
    'the rules of a mandate hold',
    async () => {
      expect(await outputOf(rules)).toContain('; 0 failed;');
    },
    TIMEOUT_MS,
  );
});

describeWith(findings)('Slither', () => {
  it(
    'finds what the security review answers, and nothing else',
    async () => {
      const { output } = await runCheck(findings, { isShown: false });
      expect(findingsIn(output)).toEqual(answeredIn(read('docs/security-review.md')));
    },
    TIMEOUT_MS,
  );
});
