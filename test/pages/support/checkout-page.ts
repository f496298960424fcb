import type { FrameLocator, Page } from 'playwright-core';

/** A page, or the checkout inside of a merchant's page. */
type View = Pick<Page & FrameLocator, 'getByRole' | 'getByText' | 'getByLabel' | 'locator'>;

/** The checkout as a payer uses it. Each step waits for what the page shows next, or for its button. */

/** Connects the extension of the test. */
export async function connect(page: View): Promise<void> {
  await page.getByRole('button', { name: 'Connect Pocket' }).click();
}

/** Signs the mandate, and approves by a permit where the token has one. */
export async function agree(page: View): Promise<void> {
  await page.getByRole('button', { name: 'Agree and approve' }).click();
}

export async function waitUntilActive(page: View): Promise<void> {
  await page.getByText('Your subscription is active').waitFor();
}

/** From the address of a checkout to the signature. */
export async function signUp(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await connect(page);
  await agree(page);
}

/** From the address of a checkout to an active subscription. */
export async function subscribe(page: Page, url: string): Promise<void> {
  await signUp(page, url);
  await waitUntilActive(page);
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
