import type { DashboardSession } from '../../src/dashboard/wire.ts';
import { serviceUrl } from '../ui/api.ts';
import { button, element } from './element.ts';
import { requestOf, testAddress } from './request.ts';

/** Lets the reader edit the sample, and make its call in the own sandbox. */
export function offerToTry(sample: HTMLElement, box: Element, who: DashboardSession | null): void {
  if (who === null) {
    box.append(element('a', { href: serviceUrl('/dashboard') }, 'Sign in to try this in your sandbox'));
    return;
  }
  const answer = element('pre', { className: 'exact', hidden: true });
  const about = `in the sandbox of ${who.merchant.name}, as ${who.member.name} (${who.member.role}). The curl sample can be edited.`;
  const run = button('Try it', async () => {
    run.ariaBusy = 'true';
    answer.textContent = await answerTo(sample.textContent ?? '');
    answer.hidden = false;
    run.ariaBusy = 'false';
  });
  sample.contentEditable = 'plaintext-only';
  sample.role = 'textbox';
  sample.ariaLabel = 'Sample with curl';
  sample.ariaMultiLine = 'true';
  box.append(
    run,
    element('span', { className: 'small soft' }, ` ${about}`),
    element('div', { role: 'status' }, answer),
  );
}

/** The answer as text: its status, its headers and its body; or why nothing was sent. */
async function answerTo(curl: string): Promise<string> {
  const request = requestOf(curl);
  const address = request && testAddress(serviceUrl('/').replace(/\/$/, ''), request.path);
  if (!request || !address) return 'Not sent: the sample has to call an address below /v1, such as /v1/offers.';
  const { method, body } = request;
  const headers = { 'X-Dashboard-Request': '1', 'Content-Type': 'application/json' };
  const sent = fetch(address, { method, headers, body, credentials: 'same-origin' });
  const response = await sent.catch(() => null);
  if (response === null) return 'The service does not answer. Check the connection, then try again.';
  const text = await response.text();
  const own = [...response.headers].filter(([name]) => /^(?:x-(?!content|frame)|retry-after|idempotency)/.test(name));
  const shown = response.headers.get('Content-Type')?.includes('json')
    ? JSON.stringify(JSON.parse(text), null, 2)
    : text;
  return [
    `${method} ${request.path}: ${response.status}`,
    ...own.map(([name, value]) => `${name}: ${value}`),
    '',
    shown,
  ].join('\n');
}
