import { clientAddress, clientNetwork } from '../../../src/http/middleware/client-address.ts';

describe("the address for a client's limits", () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
  ])('is the IPv4 address in any form: %s', (ip, known) => {
    expect(clientAddress(ip)).toBe(known);
  });

  it.each(['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:0DB8:0001:0002:0:0:0:9'])(
    'is the /64 of %s',
    (ip) => {
      expect(clientAddress(ip)).toBe('2001:db8:1:2::/64');
    },
  );

  it('differs for the next /64', () => {
    expect(clientAddress('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(clientAddress('::1')).toBe('0:0:0:0::/64');
  });

  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.255', '203.0.113.0/24'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
    [undefined, 'unknown'],
  ])('is in the network of its owner: %s', (ip, network) => {
    expect(clientNetwork(ip)).toBe(network);
  });

  it.each([undefined, '', 'unknown', '203.0.113.7:80', '<script>', '2001:db8::g'])(
    'is the same for all invalid addresses: %s',
    (ip) => {
      expect(clientAddress(ip)).toBe('unknown');
    },
  );
});
