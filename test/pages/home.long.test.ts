import { Chromium, describeInChromium } from '../support/browser.ts';
import { PUBLIC_URL, startHttp, useHttp } from '../support/http.ts';

const HTML = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
const chromium = new Chromium();

const http = useHttp({ change: (deps) => ({ ...deps, devnet: () => ({}) }) });
describe('/', () => {
  it('is JSON with the addresses of everything, unless the client asks for a page', async () => {
    const { status, headers, body } = await http.send('GET', '/');
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'Accept',
    ]);
    expect(body).toEqual({
      name: 'Tideline',
      api: `${PUBLIC_URL}/v1`,
      reference: `${PUBLIC_URL}/docs`,
      openapi: `${PUBLIC_URL}/openapi.json`,
      portal: `${PUBLIC_URL}/portal`,
      dashboard: `${PUBLIC_URL}/dashboard`,
      staff: `${PUBLIC_URL}/staff`,
      health: `${PUBLIC_URL}/health`,
      testWallets: `${PUBLIC_URL}/devnet.json`,
    });
    const { body: elsewhere } = await (await startHttp()).send('GET', '/');
    expect(elsewhere).not.toHaveProperty('testWallets');
  });

  it('is a page for browsers, which loads only files of this service', async () => {
    const { status, headers, body } = await http.send('GET', '/', HTML);
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
    ]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(body).toContain('<a href="docs">API reference</a>');
    expect((await http.send('HEAD', '/', HTML)).status).toBe(200);
  });
});

describeInChromium('the page at /', () => {
  it.each(['light', 'dark'] as const)('leads to everything, in %s', async (colorScheme) => {
    const visit = await chromium.visit({ colorScheme });
    await visit.page.goto(http.url);
    await visit.page.getByRole('heading', { name: 'Tideline' }).waitFor();
    await visit.expectSound();
    const links = await visit.page.getByRole('link').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(targets).toEqual(['docs', 'openapi.json', 'dashboard', 'portal', 'staff', 'health', 'devnet.json']);
    const statuses = await Promise.all(targets.map(async (target) => (await fetch(`${http.url}/${target}`)).status));
    expect(statuses).toEqual(targets.map(() => 200));
    expect(await visit.page.getByText(`${http.url}/v1`).count()).toBe(1);
    await visit.page.getByRole('link', { name: 'Staff console' }).click();
    await visit.page.waitForURL(`${http.url}/staff`);
  });
});
