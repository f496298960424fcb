import type { EmbedMessage } from '../pay/embedding.ts';
import { messageIn, openFrame } from './frame.ts';

const script = document.currentScript;

/** The service is where this script was loaded from; nothing else needs configuration. */
const root = script instanceof HTMLScriptElement ? script.src.replace(/\/embed\.js(\?.*)?$/, '') : null;

const OFFER = /^offer_[0-9a-z]{26}$/;

/**
 * Turns `<div data-tideline-offer="offer_…">` into a button that opens the checkout of that offer. A page may later
 * empty the element, copy it (a copied button has no handlers), or name another offer.
 */
function equip(host: HTMLElement, service: string): void {
  const offerId = host.dataset['tidelineOffer'] ?? '';
  const isReported = host.dataset['tidelineReady'] === offerId;
  host.dataset['tidelineReady'] = offerId;
  const present = host.querySelector<HTMLElement>('.tideline-button');
  const isOffer = OFFER.test(offerId);
  if (isOffer && present?.onclick) return;
  present?.remove();
  if (!isOffer) {
    if (!isReported) console.error(`Tideline: data-tideline-offer is "${offerId}", expected the id of an offer`);
    return;
  }
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'tideline-button';
  button.textContent = host.dataset['tidelineLabel'] ?? 'Continue to checkout';
  button.onclick = () => openCheckout(host, button, `${service}/checkout/${host.dataset['tidelineOffer']}`);
  host.append(button);
}

function openCheckout(host: HTMLElement, button: HTMLElement, address: string): void {
  const { tidelineLang: lang } = host.dataset;
  const url = `${address}?${new URLSearchParams({ embed: location.origin, ...(lang === undefined ? {} : { lang }) })}`;
  const service = new URL(address).origin;
  const frame = openFrame(url, () => {
    window.removeEventListener('message', listen);
    giveFocus(host, button);
    emit(host, { type: 'closed' });
  });
  const listen = (event: MessageEvent): void => {
    if (event.origin !== service || event.source !== frame.window()) return;
    const message = messageIn(event.data);
    if (message === null) return;
    if (message.type === 'ready') frame.show();
    if (message.type === 'closed') frame.close();
    else emit(host, message);
  };
  window.addEventListener('message', listen);
}

/** Returns the focus to the button that opened the checkout, or to its replacement in the page. */
function giveFocus(host: HTMLElement, button: HTMLElement): void {
  const opener = button.isConnected ? button : host.querySelector<HTMLElement>('.tideline-button');
  opener?.focus({ preventScroll: true });
}

/**
 * Sends `tideline:ready`, `tideline:completed` or `tideline:closed` from the element of the offer; they bubble. If the
 * page has removed that element, the document sends them.
 */
function emit(host: HTMLElement, { type, ...detail }: EmbedMessage): void {
  const target = host.isConnected ? host : document;
  target.dispatchEvent(new CustomEvent(`tideline:${type}`, { bubbles: true, detail }));
}

function equipAll(service: string): void {
  for (const host of document.querySelectorAll<HTMLElement>('[data-tideline-offer]')) equip(host, service);
}

if (root === null) console.error('Tideline: embed.js needs a script element of its own');
else {
  const service = root;
  equipAll(service);
  const changes = { childList: true, subtree: true, attributeFilter: ['data-tideline-offer'] };
  new MutationObserver(() => equipAll(service)).observe(document.documentElement, changes);
}
