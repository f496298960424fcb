import { MACHINES } from '../../machines/versions.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { parseWriteVersions, writtenVersion } from '../../src/engine/upcast.ts';
import { KNOWS_1_2_3 } from './support/released-toys.ts';

describe('WRITE_MACHINE_VERSION', () => {
  it.each([
    ['subscription=1', { subscription: 1 }],
    ['subscription=1,payment=2', { subscription: 1, payment: 2 }],
    [' payment=3 , subscription=2 ', { payment: 3, subscription: 2 }],
  ])('%s names the version of each kind', (text, versions) => {
    expect(parseWriteVersions(text, KNOWS_1_2_3)).toEqual({ versions, problems: [] });
  });

  it.each([
    ['offer=1', 'names no machine; expected one of subscription, payment'],
    ['subscription=4', 'names a version of subscription that this code does not have; expected one of 1, 2, 3'],
    ['payment=0', 'names a version of payment that this code does not have; expected one of 1, 2, 3'],
    ['payment', 'is not of the form kind=version'],
    ['payment=two', 'is not of the form kind=version'],
    ['', 'is not of the form kind=version'],
  ])('"%s" is an error', (text, problem) => {
    expect(parseWriteVersions(text, KNOWS_1_2_3).problems).toEqual([`WRITE_MACHINE_VERSION: "${text}" ${problem}`]);
  });

  it('lists all errors', () => {
    const { versions, problems } = parseWriteVersions('payment=2,payment=1,plan=1,subscription=9', KNOWS_1_2_3);
    expect(versions).toEqual({ payment: 2 });
    expect(problems).toEqual([
      'WRITE_MACHINE_VERSION: "payment=1" names payment again; expected it once',
      expect.stringContaining('"plan=1" names no machine'),
      expect.stringContaining('"subscription=9" names a version of subscription'),
    ]);
  });

  it('leaves the newest version for kinds that it does not name', () => {
    const { versions } = parseWriteVersions('subscription=1', KNOWS_1_2_3);
    expect(writtenVersion(KNOWS_1_2_3, versions, 'subscription')).toBe(1);
    expect(writtenVersion(KNOWS_1_2_3, versions, 'payment')).toBe(3);
  });

  it('is read with the rest of the environment, and its errors are in the same list', () => {
    expect(readConfig({}).writeVersions).toEqual({});
    const { version } = MACHINES.payment.current;
    expect(readConfig({ WRITE_MACHINE_VERSION: `payment=${version}` }).writeVersions).toEqual({ payment: version });
    expect(() => readConfig({ WRITE_MACHINE_VERSION: 'payment=99,plan=1', PORT: 'x' })).toThrow(ConfigError);
    expect(() => readConfig({ WRITE_MACHINE_VERSION: 'payment=99,plan=1', PORT: 'x' })).toThrow(
      /PORT[\s\S]*"payment=99"[\s\S]*"plan=1"/,
    );
  });
});
