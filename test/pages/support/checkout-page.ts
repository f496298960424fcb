import type { FrameLocator, Locator, Page } from 'playwright-core';

/** A page, or the checkout inside of a merchant's page. */
type View = Pick<Page & FrameLocator, 'getByRole' | 'getByText' | 'getByLabel' | 'locator'>;

/** The checkout as a payer uses it. Each step waits for what the page shows next, or for its button. */

/** The whole element is on the screen, as the payer has scrolled it. */
export async function expectInView(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  const { x = Number.NaN, y = Number.NaN, width = 0, height = 0 } = (await element.boundingBox()) ?? {};
  const { width: right = 0, height: bottom = 0 } = page.viewportSize() ?? {};
  expect({ left: x >= 0, top: y >= 0, right: x + width <= right, bottom: y + height <= bottom }).toEqual({
    left: true,
    top: true,
    right: true,
    bottom: true,
  });
}

/** The sum of all layout shifts that no input has caused (the metric CLS). */
export const WATCH_SHIFTS = `window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** The scripts of the page wait until the returned function is called. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', (route) => released.then(() => route.continue()));
  return () => release();
}

/** Connects the extension of the test. */
export async function connect(page: View, wallet = 'Pocket'): Promise<void> {
  await page.getByRole('button', { name: `Connect ${wallet}` }).click();
}

/** Continues the session of another browser or tab, which the address names. */
export async function continuePayment(page: View): Promise<void> {
  await page.getByRole('button', { name: 'Yes, continue it' }).click();
}

/** Signs the mandate, and approves by a permit where the token has one. */
export async function agree(page: View): Promise<void> {
  await page.getByRole('button', { name: 'Agree and approve' }).click();
}

/** Sends the approval as a transaction. */
export async function approve(page: View): Promise<void> {
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
}

export async function waitUntilDeclined(page: View): Promise<void> {
  await page.getByText('Declined in your wallet').waitFor();
}

export async function waitUntilActive(page: View): Promise<void> {
  await page.getByText('Your subscription is active').waitFor();
}

/** Connects, signs and approves. */
export async function signUp(page: View): Promise<void> {
  await connect(page);
  await agree(page);
}

/** From the address of a checkout, or from the checkout on the page, to an active subscription. */
export async function subscribe(page: Page, url = ''): Promise<void> {
  if (url !== '') await page.goto(url);
  await signUp(page);
  await waitUntilActive(page);
}

/** Chooses another amount than the requested one, such as `60`; null: no limit. */
export async function chooseAmount(page: View, amount: string | null, ticker = 'USDC'): Promise<void> {
  await page.getByText('Change the amount').click();
  await page.getByLabel(amount === null ? 'No limit' : 'Another amount').check();
  if (amount !== null) await page.getByLabel(`Amount in ${ticker}`).fill(amount);
}

/** Pays with a wallet of the local chain, which signs in the page. */
export async function useTestWallet(page: View, id: string): Promise<void> {
  await page.getByLabel('Test wallet', { exact: true }).selectOption(id);
  await page.getByRole('button', { name: 'Use this test wallet' }).click();
}

export async function takeBack(page: View, wallet = 'Pocket'): Promise<void> {
  await page.getByRole('button', { name: `Take it back with ${wallet}` }).click();
}

export async function endAgreement(page: View): Promise<void> {
  await page.getByText('End it without').click();
  await page.getByRole('button', { name: 'End the agreement with Pocket' }).click();
}

/** A new tab at a link shows the transfer that this browser has begun there before. */
export async function continueTransfer(page: View): Promise<void> {
  await page.getByRole('heading', { name: 'You have a transfer under way' }).waitFor();
  await page.getByRole('button', { name: 'Continue this transfer' }).click();
}

export async function chooseTransfer(page: View): Promise<void> {
  await page.getByLabel('A transfer from any wallet or exchange').check();
}

/** Opens a transfer, and returns its deposit address. */
export async function openTransfer(page: View): Promise<string> {
  await page.getByRole('button', { name: 'Show the address' }).click();
  return depositAddress(page);
}

export async function depositAddress(page: View): Promise<string> {
  return (await page.locator('[data-part=deposit-address]').textContent()) ?? '';
}

export async function waitUntilReceived(page: View): Promise<void> {
  await page.getByText('has received your payment for Coffee Club').waitFor();
}

/** Saves an address for refunds of an open transfer. */
export async function saveRefundAddress(page: View, address: string): Promise<void> {
  await page.getByLabel('Your address for refunds').fill(address);
  await page.getByRole('button', { name: 'Save the address' }).click();
}
