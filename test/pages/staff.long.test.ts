import type { Page, Route } from 'playwright-core';
import type { StaffRole } from '../../src/store/collections.ts';
import { until } from '../../stage/until.ts';
import { Chromium, describeInChromium, focusIs, NARROW, type Visit } from '../support/browser.ts';
import { STAFF_TOKEN } from '../support/http.ts';
import type { MerchantOverHttp } from '../support/merchant-over-http.ts';
import {
  enterToken,
  memberOf,
  openConsole,
  openTab,
  type SignIn,
  search,
  signIn,
  tryAgain,
  withoutAnswer,
} from './support/staff-console.ts';

/** The staff console in a real browser, over real machines on a scripted chain. */
describeInChromium('the staff console', () => {
  const chromium = new Chromium();
  let merchant: MerchantOverHttp;
  let id: string;
  let txHash: string;

  beforeAll(async () => {
    merchant = await openConsole();
    id = await merchant.subscribe({ email: 'mia@example.com', name: 'Mia' });
    txHash = await merchant.settleCharge(id);
  });

  const signedIn = (by?: SignIn) => signIn(chromium, merchant, by);

  const pageOf = (of: string, tab = 'overview') => `#/subscriptions/${of}?tab=${tab}`;

  async function pastDue(): Promise<string> {
    const own = await merchant.subscribeAndPay();
    await merchant.failCharge(own, 'insufficient_balance');
    return own;
  }

  it('asks for a token, refuses a wrong one, and signs out unless the service cannot be reached', async () => {
    const { page, expectSound, forgive } = await chromium.visit({ at: `${merchant.http.url}/staff` });
    await enterToken(page, 'wrong');
    await page.getByText('No staff member has this token.').waitFor();
    forgive(/401/);
    await expectSound();
    await enterToken(page, STAFF_TOKEN);
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    expect(await page.getByTestId('who').textContent()).toBe('staff · admin');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    await page.route('**/staff/api/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are still signed in').waitFor();
    forgive(/ERR_FAILED/);
    await page.unroute('**/staff/api/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Staff token').waitFor();
    await page.reload();
    await page.getByLabel('Staff token').waitFor();
  });

  it('has a policy that allows no foreign and no inline content', async () => {
    const { headers } = await merchant.http.send('GET', '/staff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('shows troubles on its front page, with counts and a chart', async () => {
    await pastDue();
    const { page, expectSound } = await signedIn();
    expect(await page.locator('[data-trouble="past_due"]').getAttribute('data-count')).toBe('1');
    expect(await page.getByRole('figure').textContent()).toMatch(/2 settled.*1 failed/);
    await expectSound();
    await page.getByRole('link', { name: '1 Past due subscriptions' }).click();
    await page.getByRole('heading', { name: 'Past due subscriptions' }).waitFor();
    await page.getByRole('link', { name: 'Coffee monthly' }).waitFor();
    await expectSound();
    await page.getByRole('link', { name: 'Coffee monthly' }).click();
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    expect(await page.locator('.state.is-lit').getAttribute('data-state')).toBe('past_due.waiting');
    expect(await page.locator('[data-answer="why-failing"]').textContent()).toContain('too little of the token');
    await expectSound();
  });

  it.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])('tells why a charge failed once, and what comes next, on the first screen: %j', async (viewport) => {
    const failing = await merchant.subscribeAndPay();
    const paymentId = await merchant.failCharge(failing, 'insufficient_balance');
    const { page } = await signedIn({ viewport });
    const causes = page.getByRole('main').getByText('too little of the token').filter({ visible: true });
    for (const [of, answer] of [
      [failing, 'why-failing'],
      [paymentId, 'why-failed'],
    ] as const) {
      await page.goto(`${merchant.http.url}/staff#/${of}`);
      const told = page.locator(`[data-answer="${answer}"]`);
      expect(await told.textContent()).toMatch(/too little of the token.*\. The next attempt is on \S+ \S+ UTC\.$/);
      const box = await told.boundingBox();
      expect((box?.y ?? Number.NaN) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      expect(await causes.count()).toBe(1);
      await openTab(page, 'Money');
      expect(await causes.count()).toBe(1);
    }
  });

  it('shows ids, wallets and transactions short: as links, with all of it to copy', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await signedIn({ permissions, at: `#/${id}` });
    const money = page.locator('[data-answer="where-is-the-money"]');
    expect(await money.textContent()).toMatch(
      /went from 0x\w{8}…\w{6} to 0x\w{8}…\w{6} in 0x\w{8}…\w{6}, and this is final/,
    );
    expect(await money.textContent()).not.toContain(txHash);
    await money.getByRole('button', { name: `Copy the ${txHash.slice(0, 10)}` }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(txHash);
    await money.getByRole('link', { name: /^pay_/ }).click();
    await page.getByRole('heading', { name: '9.90 USDC' }).waitFor();
    expect(new URL(page.url()).hash).toMatch(/^#\/pay_\w{26}$/);
    await page.goto(`${merchant.http.url}/staff${pageOf(id)}`);
    await page.getByRole('link', { name: 'Its offer' }).waitFor();
  });

  it.each([
    [{ width: 1280, height: 800 }, 1_850],
    [{ width: 390, height: 844 }, 2_050],
  ])('folds the possible events of a machine: at %j it is %i px high at most', async (viewport, most) => {
    const { page } = await signedIn({ viewport, at: pageOf(await pastDue(), 'machine') });
    await page.getByRole('heading', { name: 'What if' }).waitFor();
    const waits = await page.getByTestId('waits').boundingBox();
    expect((waits?.y ?? Number.NaN) + (waits?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(most);
    await page.getByText(/^\d+ possible events/).click();
    await page.locator('[data-event="cycle.due"]').waitFor();
  });

  it('shows no time without its zone', async () => {
    const { page } = await signedIn();
    const paymentId = await merchant.failCharge(await merchant.subscribeAndPay(), 'insufficient_balance');
    const tabs = ['overview', 'money', 'webhooks', 'journal', 'machine'].map((tab) => `${paymentId}?tab=${tab}`);
    const lists = ['keys', 'payouts', 'customers', 'subscriptions'].map((tab) => `${merchant.id}?tab=${tab}&mode=test`);
    const seen = () => page.evaluate(`document.querySelector('main')?.innerText ?? 'Loading'`);
    let times = 0;
    for (const at of ['', 'merchants', 'search?q=mia@example.com', ...tabs, ...lists]) {
      // Another query: the page is loaded anew, so that nothing of the last one is read.
      await page.goto(`${merchant.http.url}/staff?${at.length}${at.slice(-9)}#/${at}`);
      const text = await until(`${at} is there`, seen, (read) => !/Loading|Searching|Checking/.test(String(read)));
      const shown = [...String(text).matchAll(/\d\d:\d\d(?::\d\d)?(.{0,4})/g)];
      times += shown.length;
      expect(shown.filter(([, zone]) => zone !== ' UTC').map(([time]) => `${at}: ${time}`)).toEqual([]);
    }
    expect(times).toBeGreaterThan(20);
  });

  it('finds by any text, opens the only result at once, and repeats the same search', async () => {
    const { page, expectSound } = await signedIn();
    await search(page, id.toUpperCase());
    await page.getByRole('heading', { name: 'Coffee monthly' }).waitFor();
    await search(page, txHash);
    await page.getByRole('heading', { name: '9.90 USDC' }).waitFor();
    await page.getByTitle(txHash).first().waitFor();
    await expectSound();
    await search(page, 'mia@example.com');
    await page.getByRole('heading', { name: /3 found/ }).waitFor();
    expect(await page.locator('[data-result]').count()).toBe(3);
    await expectSound();
    await search(page, 'nobody@example.com');
    await page.getByRole('heading', { name: /Nothing found/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: /3 found/ }).waitFor();
    await search(page, 'late@example.com');
    await page.getByRole('heading', { name: /Nothing found/ }).waitFor();
    await merchant.subscribe({ email: 'late@example.com' });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: /2 found|3 found/ }).waitFor();
  });

  it('steps through the journal by keys, with diagram, changes and context', async () => {
    const { page, expectSound } = await signedIn({ at: pageOf(id, 'machine') });
    await page.getByRole('button', { name: /^Replay \d+ steps$/ }).click();
    const stepping = page.getByTestId('stepping');
    const slider = page.getByRole('slider');
    await slider.focus();
    expect(await page.getByTestId('step').textContent()).toMatch(/^Step 1 of \d+: actor\.created/);
    expect(await stepping.locator('.state.is-lit').getAttribute('data-state')).toBe('pending.waiting');
    const seen: string[] = [];
    const last = Number(await slider.getAttribute('max'));
    for (let step = 1; step < last; step += 1) {
      await page.keyboard.press('ArrowRight');
      seen.push(String(await stepping.locator('.state.is-lit').getAttribute('data-state')));
    }
    expect(seen).toContain('pending.charging');
    expect(seen.at(-1)).toBe('active.waiting');
    expect(await stepping.locator('[data-change="cyclesCompleted"]').textContent()).toBe('1');
    await page.getByText('The whole context after this step').click();
    const context = JSON.parse(String(await page.getByTestId('context').textContent()));
    expect(context).toEqual((await merchant.subscription(id)).context);
    await page.keyboard.press('Home');
    await expectSound();
  });

  it('lights the arrows that lead on, with their events, shows the way so far, and says the same in words', async () => {
    const failing = await pastDue();
    const { page, expectSound } = await signedIn({ at: pageOf(failing, 'machine') });
    const lit = page.locator('[data-arrows="lit"]');
    await lit.waitFor();
    const first = page.locator('.arrow-label').first();
    expect(await first.textContent()).toMatch(/^1\s?cycle\.due/);
    expect(await lit.locator('li').allTextContents()).toContainEqual(
      'past_due.waiting → past_due.charging on cycle.due: the next charge is due; or on retry.requested: somebody asked to charge again now',
    );
    const arrowsOf = (mark: string) =>
      page.locator(`.arrow.is-${mark}`).evaluateAll((all) => all.map((each) => each.getAttribute('data-arrow')));
    expect(await arrowsOf('taken')).toEqual(
      expect.arrayContaining(['pending.charging active.waiting', 'active.charging past_due.waiting']),
    );
    expect(await arrowsOf('dim')).toContain('canceled.closing canceled.closed');
    expect((await arrowsOf('lit')).every((arrow) => arrow?.startsWith('past_due.waiting '))).toBe(true);
    await page.getByText(/^The way so far/).click();
    expect(await page.locator('[data-arrows="taken"] li').allTextContents()).toContainEqual(
      'active.charging → past_due.waiting on charge.failed: the attempt to charge has failed',
    );
    await expectSound();
    await page.setViewportSize(NARROW);
    await page.locator('.diagram-frame').waitFor({ state: 'hidden' });
    expect(await lit.isVisible()).toBe(true);
  });

  it('runs a copy for two months, and changes nothing', async () => {
    const before = JSON.stringify(await merchant.subscription(id));
    const { page, expectSound } = await signedIn({ at: pageOf(id, 'machine') });
    await page.getByRole('button', { name: 'Run the copy' }).click();
    const result = page.getByTestId('what-if-result');
    await result.waitFor();
    expect(await result.textContent()).toContain('active.waiting');
    const notice = result.locator('.notice');
    const [whole, badge] = [await notice.boundingBox(), await notice.locator('.badge').boundingBox()];
    expect(badge?.width).toBeLessThan((whole?.width ?? 0) / 2);
    expect(await result.getByText('payment.succeeded').count()).toBe(2);
    await page.getByLabel('and suppose that').selectOption('insufficient_balance');
    await page.getByRole('button', { name: 'Run the copy' }).click();
    await result.getByText('canceled.closed').first().waitFor();
    await expectSound();
    expect(JSON.stringify(await merchant.subscription(id))).toBe(before);
  });

  it('acts with a reason, after a confirmation, by the keyboard alone', async () => {
    const own = await merchant.subscribeAndPay();
    const { page, expectSound } = await signedIn({ at: pageOf(own, 'journal') });
    for (const name of ['Cancel now', 'Cancel at the end of the period']) {
      await page.getByRole('button', { name }).press('Enter');
      const final = page.getByRole('dialog').getByRole('button', { name });
      expect(await final.evaluate((button) => button.matches('.button-danger'))).toBe(true);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Cancel at the end of the period' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel at the end of the period' });
    await dialog.waitFor();
    await expectSound();
    await dialog.getByRole('button', { name: 'Cancel at the end of the period' }).press('Enter');
    await dialog.getByText('This is missing.').waitFor();
    await page.keyboard.type('asked for\nby phone');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const row = page.locator('[data-journal="cancel.requested"]');
    await row.waitFor();
    expect(await row.textContent()).toContain('staff:Ada');
    expect(await row.getByText('asked for').allInnerTexts()).toEqual([expect.stringContaining('asked for\nby phone')]);
    expect(await page.locator('[data-action="retry"]').textContent()).toContain('no due charge is deferred');
    await expectSound();
  });

  it('does not claim that nothing exists if the service has not answered, and shows its front page at an invalid address', async () => {
    const visit = await signedIn({ at: pageOf(id) });
    const { page } = visit;
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    await withoutAnswer(visit, '**/staff/api/subscriptions/*', async () => {
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByText('The service does not answer').waitFor();
      expect(await page.getByText('No subscription has the id').count()).toBe(0);
    });
    await tryAgain(page);
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    await page.goto(`${merchant.http.url}/staff#/subscriptions/sub_00000000000000000000000000`);
    await page.getByText('No subscription has the id').waitFor();
    visit.forgive(/404/);
    await page.goto(`${merchant.http.url}/staff?#/subscriptions/%`);
    await page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
  });

  it.each<[what: string, path: string, heading: string, read: (page: Page) => Promise<unknown>]>([
    [
      'the front page',
      'trouble*',
      'Recent trouble',
      (page) => page.getByRole('button', { name: 'Check again' }).click(),
    ],
    ['who is signed in', 'session', 'Recent trouble', (page) => page.reload()],
    [
      'the diagram',
      'machines/*',
      'Step through the journal',
      (page) => page.goto(`${merchant.http.url}/staff${pageOf(id, 'machine')}`),
    ],
  ])('asks again for %s if the service has not answered, and for no token', async (_what, path, heading, read) => {
    const visit = await signedIn();
    const { page } = visit;
    await withoutAnswer(visit, `**/staff/api/${path}`, () => read(page));
    expect(await page.getByLabel('Staff token').count()).toBe(0);
    await tryAgain(page);
    await page.getByRole('heading', { name: heading }).waitFor();
  });

  it('moves the keyboard on when its element disappears, and names the shown thing in its title', async () => {
    const own = await merchant.subscribeAndPay();
    const { page, forgive } = await chromium.visit({ at: `${merchant.http.url}/staff` });
    await page.getByLabel('Staff token').focus();
    expect(await page.title()).toBe('Sign in – Tideline staff');
    await page.keyboard.type(STAFF_TOKEN);
    await page.keyboard.press('Enter');
    await focusIs(page, /^Recent trouble/);
    const outline = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(await outline()).toBe('none');
    expect(await page.title()).toBe('Recent trouble – Tideline staff');

    await page.goto(`${merchant.http.url}/staff${pageOf(own, 'journal')}`);
    const opener = page.getByRole('button', { name: 'Cancel at the end of the period' });
    await opener.focus();
    expect(await page.title()).toBe('Coffee monthly: active – Tideline staff');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    await focusIs(page, /^Cancel at the end/);
    expect(await outline()).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').focus();
    await page.keyboard.type('asked for by phone');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('[data-journal="cancel.requested"]').waitFor();
    await focusIs(page, /^Cancel at the end/);

    await page.getByRole('tab', { name: 'Machine' }).click();
    await page.getByRole('button', { name: /^Replay/ }).press('Enter');
    await focusIs(page, /^Step through the journal/);
    await page.evaluate(`window.region = document.querySelector('[data-testid=what-if] [role=status]')`);
    await page.getByRole('button', { name: 'Run the copy' }).click();
    await page.getByTestId('what-if-result').waitFor();
    expect(await page.evaluate('region.isConnected && region.innerText')).toContain('nothing has been changed');

    await search(page, 'nobody@example.com');
    await page.getByRole('heading', { name: /Nothing found/ }).waitFor();
    expect(await page.title()).toBe('Nothing found for nobody@example.com – Tideline staff');
    await page.route('**/staff/api/trouble*', (route) => route.abort());
    await page.getByRole('link', { name: 'Tideline staff' }).press('Enter');
    await page.getByRole('button', { name: 'Try again' }).focus();
    forgive(/ERR_FAILED/);
    await page.unroute('**/staff/api/trouble*');
    await page.keyboard.press('Enter');
    await focusIs(page, /^Recent trouble/);
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await focusIs(page, /^Tideline staff/);
  });

  it('keeps a reason when a selection ends beside its dialog, and shows the result of an action whose dialog was left', async () => {
    const { page, forgive } = await signedIn({ at: pageOf(id) });
    const asked = new Promise<Route>((resolve) => void page.route('**/cancel', resolve));
    await page.getByRole('button', { name: 'Cancel now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel now' });
    const reason = dialog.getByLabel('Reason');
    await reason.fill('asked for by phone');
    await reason.hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await reason.inputValue({ timeout: 2_000 })).toBe('asked for by phone');
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Cancel now' }).click();
    await reason.fill('asked for by phone');
    await dialog.getByRole('button', { name: 'Cancel now' }).click();
    const post = await asked;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await post.fulfill({ status: 409, json: { error: 'It has been canceled meanwhile' } });
    await page.getByText('It has been canceled meanwhile').waitFor();
    forgive(/409/);
  });

  /** The subscription's page for a member of the staff with this role; it shows a held deposit. */
  async function withHeldDeposit(name: string, role: StaffRole): Promise<Visit> {
    const visit = await signedIn(await memberOf(merchant, name, role));
    const { page } = visit;
    const held = {
      ...{ id: 'dep_1', tokenKey: 'base:usdc', txHash, from: `0x${'1'.repeat(40)}`, amount: '5.00', charged: '0.00' },
      ...{ refunded: '0.00', left: '5.00', fate: 'held', held: 'it is nobody’s' },
    };
    await page.route('**/staff/api/subscriptions/*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), deposits: [held] } });
    });
    await page.goto(`${merchant.http.url}/staff${pageOf(id, 'money')}`);
    return visit;
  }

  it('lets the role read change nothing and send no deposit, and says why', async () => {
    const { page, expectSound } = await withHeldDeposit('Eve', 'read');
    expect(await page.getByTestId('who').textContent()).toBe('staff:Eve · read');
    await page.setViewportSize(NARROW);
    const send = page.getByRole('button', { name: 'Send it' });
    expect(await send.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Your role is read. Sending a deposit needs the role act.').waitFor();
    const cancel = page.getByRole('button', { name: 'Cancel now' });
    expect(await cancel.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Your role is read. Actions need the role act.').waitFor();
    await expectSound();
  });

  it.each([
    ['act', false, 'Another address needs the role admin; yours is act.'],
    ['admin', true, 'Without an address, it sends it to the refund wallet'],
  ] as const)('offers the role %s an address for a deposit: %s', async (role, hasAddress, said) => {
    const { page, expectSound } = await withHeldDeposit(`sender-${role}`, role);
    await page.getByRole('button', { name: 'Cancel now' }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel now' }).getAttribute('aria-disabled')).not.toBe('true');
    await page.getByRole('button', { name: 'Send it' }).click();
    const dialog = page.getByRole('dialog', { name: /^Send / });
    expect(await dialog.textContent()).toContain(said);
    expect(await dialog.getByLabel('Address (optional)').count()).toBe(hasAddress ? 1 : 0);
    await expectSound();
  });

  it("keeps the keyboard's place while the chart is read for another range", async () => {
    const { page } = await signedIn();
    const asked = new Promise<Route>((resolve) => void page.route('**/staff/api/trouble?range=week', resolve));
    const week = page.getByRole('button', { name: 'The last week' });
    await week.press('Enter');
    const late = await asked;
    const answer = page.waitForResponse('**/staff/api/trouble?range=week');
    await late.continue();
    await answer;
    await page.getByRole('img', { name: /of the last week/ }).waitFor();
    expect(await week.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  it('shows in every tab who acts there, even if somebody else has signed in beside it', async () => {
    const { token = '' } = await memberOf(merchant, 'Cleo', 'read');
    const visit = await signedIn();
    const { page } = visit;
    const second = await chromium.tab(visit);
    await second.page.goto(`${merchant.http.url}/staff`);
    await second.page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Staff token').waitFor();
    await enterToken(second.page, token);
    await second.page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
    await page.getByText('staff:Cleo · read').waitFor();
  });
});
