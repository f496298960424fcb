import { faultPlanText } from '../../../devnet/faults.ts';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { FAULT_POINTS, parseFaultPlans } from '../../../src/engine/faults.ts';
import { everyPlan, KILL_CHAINS, killsAt } from '../../../tools/crashtest/plans.ts';

describe('the chains of kills', () => {
  it('reach every declared point', () => {
    const points = new Set(KILL_CHAINS.flatMap(killsAt).map(({ point }) => point));
    expect([...points].sort()).toEqual([...FAULT_POINTS].sort());
  });

  it('have every point at three hits, killed, failing and waiting, with --full', () => {
    const texts = new Set(everyPlan().flat().map(faultPlanText));
    expect(texts.size).toBe(FAULT_POINTS.length * 9);
    for (const point of FAULT_POINTS) {
      for (const hit of [1, 2, 3]) {
        for (const action of ['kill', 'throw', 'delay']) expect(texts).toContain(`${point}@${hit}=${action}`);
      }
    }
  });

  it('are written in the form in which they are read', () => {
    for (const plan of [...KILL_CHAINS.flatMap(killsAt), ...everyPlan().flat()]) {
      expect(parseFaultPlans(faultPlanText(plan))).toEqual([plan]);
    }
  });
});

describe('the variables that inject faults', () => {
  const ADDRESS = '0x3B675521EAef03956f876E07Ee3a2C72CDFb5Db3';
  const MAINNET = {
    RPC_URL_8453: 'https://rpc.example/',
    ROUTER_8453: ADDRESS,
    SENDER_KEYS_EVM: `0x${'11'.repeat(32)}`,
    PLATFORM_WALLET_EVM: ADDRESS,
    MONGODB_URI: 'mongodb://db.example/',
  };

  it.each([
    ['FAULTS', { FAULTS: 'commit.before=kill' }],
    ['FAULTS_REPORT', { FAULTS_REPORT: '/tmp/report' }],
    ['FAULTS_CLOCK_MS', { FAULTS_CLOCK_MS: '1000' }],
    ['FAULTS_CLOCK_MS', { FAULTS_CLOCK_MS: '-1000' }],
  ])('%s is refused beside a mainnet', (name, set) => {
    expect(() => readConfig({ ...MAINNET, ...set })).toThrow(ConfigError);
    expect(() => readConfig({ ...MAINNET, ...set })).toThrow(`${name} must not be set beside a mainnet's RPC_URL_8453`);
    expect(() => readConfig(MAINNET)).not.toThrow();
  });

  it('can move the clock by up to a hundred years in either direction', () => {
    const HUNDRED_YEARS_MS = 3_155_760_000_000;
    for (const ms of [HUNDRED_YEARS_MS, -HUNDRED_YEARS_MS, 0]) {
      expect(readConfig({ FAULTS_CLOCK_MS: String(ms) }).faultsClockMs).toBe(ms);
    }
    for (const ms of [HUNDRED_YEARS_MS + 1, -HUNDRED_YEARS_MS - 1, '1.5', '--1', '1e3']) {
      expect(() => readConfig({ FAULTS_CLOCK_MS: String(ms) })).toThrow('FAULTS_CLOCK_MS is "');
    }
  });
});
