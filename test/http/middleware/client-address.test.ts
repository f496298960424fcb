import { clientOf } from '../../../src/http/middleware/client-address.ts';

const PEER = '10.0.0.4';

function clientAt(ip: string | undefined, peer: string | undefined = PEER) {
  return clientOf({ ip, socket: { remoteAddress: peer } });
}

describe("the address for a client's limits", () => {
  it.each([
    '203.0.113.7',
    '203.0.113.7:50431',
    '::ffff:203.0.113.7',
    '::ffff:203.0.113.7:50431',
    '::ffff:cb00:7107',
    '[::ffff:203.0.113.7]:50431',
  ])('is the IPv4 address in any form: %s', (ip) => {
    expect(clientAt(ip)).toEqual({ address: '203.0.113.7', network: '203.0.113.0/24', isReadable: true });
  });

  it.each([
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0DB8:0001:0002:0:0:0:9',
    '[2001:db8:1:2::1]',
    '[2001:db8:1:2::1]:50431',
  ])('is the /64 of %s', (ip) => {
    expect(clientAt(ip)).toEqual({ address: '2001:db8:1:2::/64', network: '2001:db8:1:2::/64', isReadable: true });
  });

  it('differs for the next /64', () => {
    expect(clientAt('[2001:db8:1:3::1]:1').address).toBe('2001:db8:1:3::/64');
    expect(clientAt('::1').address).toBe('0:0:0:0::/64');
  });

  it.each([undefined, '', 'unknown', '203.0.113.7:', '203.0.113.7:x', '[2001:db8::1', '<script>', '2001:db8::g'])(
    'is that of the peer for every value that is no address: %s',
    (ip) => {
      expect(clientAt(ip)).toEqual({ address: 'via/10.0.0.4', network: 'via/10.0.0.4', isReadable: false });
      expect(clientAt(ip, '::ffff:10.0.0.4').address).toBe('via/10.0.0.4');
      expect(clientOf({ ip, socket: {} }).address).toBe('via/unknown');
    },
  );
});
