import { serviceUrl } from '../../scripts/lib/running-service.ts';
import { listeningUrl } from '../../src/http/listening-url.ts';

describe('the URL of a server', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
    ['::', 'http://[::1]:3000'],
    ['2001:DB8::5', 'http://[2001:db8::5]:3000'],
    ['pay.internal', 'http://pay.internal:3000'],
  ])('that listens on %s is %s, for the service and for its commands', (host, url) => {
    expect(listeningUrl(host, 3000)).toBe(url);
    expect(serviceUrl(undefined, { HOST: host, PORT: '3000' })).toBe(url);
  });

  it.each(['', 'a b', 'a/b', 'a?b', 'a#b', 'user@host', 'host:80', 'fe80::1%eth0'])(
    'on "%s" does not exist',
    (host) => {
      expect(listeningUrl(host, 3000)).toBeNull();
    },
  );
});
