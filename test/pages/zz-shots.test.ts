import { beforeAll, it } from '@jest/globals';
import { Desk } from '../staff/support/desk.ts';
import { Chromium, describeInChromium, NARROW, WIDE } from '../support/browser.ts';
import { STAFF_TOKEN } from '../support/http.ts';
describeInChromium('shots', () => {
  const chromium = new Chromium();
  let desk: Desk; let id: string; let pay: string;
  beforeAll(async () => { desk = await Desk.open(); await desk.http.deps.pages.current();
    id = await desk.subscribe({ email: 'mia@example.com', name: 'Mia' }); await desk.settles(id); pay = await desk.fails(id, 'insufficient_balance'); });
  it('takes', async () => {
    for (const [name, size, scheme] of [['wide', WIDE, 'light'], ['narrow', NARROW, 'light'], ['dark', WIDE, 'dark']] as const) {
      const { page } = await chromium.visit({ viewport: size, colorScheme: scheme });
      await page.goto(`${desk.http.url}/staff`);
      await page.screenshot({ path: `/tmp/shots/${name}-login.png` });
      await page.getByLabel('Staff token').fill(STAFF_TOKEN); await page.getByRole('button', { name: 'Open the console' }).click();
      await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
      await page.screenshot({ path: `/tmp/shots/${name}-front.png`, fullPage: true });
      await page.goto(`${desk.http.url}/staff#/subscriptions/${id}`);
      await page.getByRole('heading', { name: 'Where it stands' }).waitFor(); await page.locator('.state.is-lit').waitFor();
      await page.getByRole('button', { name: /^Replay/ }).click(); await page.getByRole('slider').focus();
      for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowRight');
      await page.getByRole('button', { name: 'Run the copy' }).click(); await page.getByTestId('what-if-result').waitFor();
      await page.screenshot({ path: `/tmp/shots/${name}-sub.png`, fullPage: true });
      await page.locator('.diagram-frame').first().screenshot({ path: `/tmp/shots/${name}-diagram.png` });
      await page.evaluate('scrollTo(0,0)'); await page.screenshot({ path: `/tmp/shots/${name}-top.png` });
      if (name === 'wide') { await page.goto(`${desk.http.url}/staff#/payments/${pay}`); await page.getByRole('heading', { name: '9.90' }).waitFor(); await page.locator('.state.is-lit').waitFor(); await page.locator('.diagram-frame').first().screenshot({ path: `/tmp/shots/${name}-diagram-pay.png` }); await page.screenshot({ path: `/tmp/shots/${name}-pay.png` });
        await page.goto(`${desk.http.url}/staff#/search?q=mia@example.com`); await page.getByRole('heading', { name: /found/ }).waitFor(); await page.screenshot({ path: `/tmp/shots/${name}-search.png`, fullPage: true }); }
    }
  });
});
