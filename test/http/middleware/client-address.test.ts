import { clientOf } from '../../../src/http/middleware/client-address.ts';

const socket = { remoteAddress: '10.0.0.4' };
const readable = { isReadable: true, limitFactor: 1 };

describe("the address for a client's limits", () => {
  const v4 = ['203.0.113.7', '203.0.113.7:50431', '::ffff:203.0.113.7', '::ffff:203.0.113.7:50431', '::ffff:cb00:7107'];

  it.each([...v4, '[::ffff:203.0.113.7]:50431'])('is the IPv4 address in any form: %s', (ip) => {
    expect(clientOf({ ip, socket })).toEqual({ ...readable, address: '203.0.113.7', network: '203.0.113.0/24' });
  });

  const v6 = ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002:0:0:0:9'];

  it.each([...v6, '[2001:db8:1:2::1]', '[2001:db8:1:2::1]:50431'])('is the /64 of %s', (ip) => {
    const address = '2001:db8:1:2::/64';
    expect(clientOf({ ip, socket })).toEqual({ ...readable, address, network: address });
  });

  it('differs for the next /64', () => {
    expect(clientOf({ ip: '[2001:db8:1:3::1]:1', socket }).address).toBe('2001:db8:1:3::/64');
    expect(clientOf({ ip: '::1', socket }).address).toBe('0:0:0:0::/64');
  });

  it.each([undefined, '', 'unknown', '203.0.113.7:', '203.0.113.7:x', '[2001:db8::1', '<script>', '2001:db8::g'])(
    'is that of the peer for every value that is no address: %s',
    (ip) => {
      const address = 'via/10.0.0.4';
      expect(clientOf({ ip, socket })).toEqual({ address, network: address, isReadable: false, limitFactor: 100 });
    },
  );
});
