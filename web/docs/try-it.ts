import type { DashboardSession } from '../../src/dashboard/wire.ts';
import { serviceUrl } from '../ui/api.ts';
import { button, element } from './element.ts';
import { requestOf, testAddress } from './request.ts';

/** Lets the reader edit the sample with curl, and make its call in the own sandbox. */
export function offerToTry(samples: Element, who: DashboardSession | null): void {
  const sample = samples.querySelector<HTMLElement>('.language-sh');
  const box = element('div', { className: 'stack-tight' });
  samples.querySelector('.sample:has(.language-ts)')?.after(box);
  if (who === null || sample === null) {
    box.append(element('a', { href: serviceUrl('/dashboard') }, 'Sign in to try this in your sandbox'));
    return;
  }
  const answer = element('pre', { tabIndex: 0, hidden: true });
  const run = button('Try it', async () => {
    if (run.ariaBusy === 'true') return;
    run.ariaBusy = 'true';
    answer.textContent = await answerTo(sample.textContent ?? '');
    answer.hidden = false;
    run.ariaBusy = 'false';
  });
  Object.assign(sample, { contentEditable: 'plaintext-only', role: 'textbox', ariaMultiLine: 'true' });
  sample.ariaLabel = 'Sample with curl';
  const about = `In the sandbox of ${who.merchant.name}, as ${who.member.name} (${who.member.role}).`;
  box.append(
    element(
      'div',
      { className: 'row' },
      run,
      element('span', { className: 'small soft' }, `${about} The curl sample can be edited.`),
    ),
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
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  const head = [`${method} ${request.path}: ${response.status}`, ...own.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\n')}\n\n${isJson ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
}
