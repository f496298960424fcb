import type { Desk } from '../../staff/support/desk.ts';
import type { Chromium, Visit, VisitOptions } from '../../support/browser.ts';
import { STAFF_TOKEN } from '../../support/http.ts';

export interface SignIn {
  readonly token?: string;
  /** null: the token has its own name. */
  readonly name?: string | null;
  readonly options?: VisitOptions;
}

/** A visit of the console, signed in, at the front page. */
export async function signIn(chromium: Chromium, desk: Desk, by: SignIn = {}): Promise<Visit> {
  const { token = STAFF_TOKEN, name = 'Ada', options = {} } = by;
  const visit = await chromium.visit(options);
  await visit.page.goto(`${desk.http.url}/staff`);
  await visit.page.getByLabel('Staff token').fill(token);
  if (name !== null) await visit.page.getByLabel('Your name').fill(name);
  await visit.page.getByRole('button', { name: 'Open the console' }).click();
  await visit.page.getByRole('heading', { name: 'Recent trouble' }).waitFor();
  return visit;
}
