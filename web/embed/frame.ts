import type { EmbedMessage } from '../pay/embedding.ts';

/** The checkout above a page. */
export interface Frame {
  window(): Window | null;
  /** The checkout has loaded; it gets the keyboard focus. */
  show(): void;
  close(): void;
}

/** Sets styles through properties, which also works on a page whose policy forbids inline styles. */
function style(element: HTMLElement, properties: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

/**
 * Shows an address in a modal dialog; the page behind it is inert and keeps its scroll position. Escape closes the
 * dialog. Inside the frame, where this page cannot see keys, the checkout handles Escape and sends `closed`.
 */
export function openFrame(url: string, onClose: () => void): Frame {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', 'Checkout');
  style(dialog, {
    width: 'min(64rem, 100vw)',
    height: 'min(56rem, 100dvh)',
    'max-width': '100vw',
    'max-height': '100dvh',
    padding: '0',
    border: '0',
    'border-radius': '12px',
    overflow: 'hidden',
    'color-scheme': 'light dark',
    background: 'Canvas',
    color: 'CanvasText',
  });
  const frame = document.createElement('iframe');
  frame.src = url;
  frame.title = 'Checkout';
  frame.allow = 'clipboard-write';
  style(frame, { display: 'block', width: '100%', height: '100%', border: '0', visibility: 'hidden' });
  const loading = loadingState();
  const close = closeButton();
  dialog.append(frame, loading, close);
  const unfreeze = freezeScroll();
  dialog.addEventListener('close', () => {
    dialog.remove();
    unfreeze();
    onClose();
  });
  close.addEventListener('click', () => dialog.close());
  const reveal = () => {
    loading.remove();
    frame.style.setProperty('visibility', 'visible');
  };
  // Also runs for the answer of a service that has no checkout to show.
  frame.addEventListener('load', reveal);
  document.body.append(dialog);
  dialog.showModal();
  // Until the checkout listens, this page must receive Escape.
  close.focus();
  return {
    window: () => frame.contentWindow,
    show: () => {
      reveal();
      if (document.activeElement === close) frame.focus();
    },
    close: () => dialog.close(),
  };
}

function loadingState(): HTMLElement {
  const loading = document.createElement('p');
  loading.setAttribute('role', 'status');
  loading.textContent = 'Loading the checkout…';
  style(loading, {
    position: 'absolute',
    inset: '0',
    display: 'grid',
    'place-content': 'center',
    margin: '0',
    font: '16px system-ui, sans-serif',
  });
  return loading;
}

function closeButton(): HTMLButtonElement {
  const close = document.createElement('button');
  close.type = 'button';
  close.textContent = '✕';
  close.setAttribute('aria-label', 'Close the checkout');
  style(close, {
    position: 'absolute',
    top: '8px',
    right: '8px',
    width: '40px',
    height: '40px',
    border: '1px solid #8795a3',
    'border-radius': '20px',
    background: '#ffffff',
    color: '#16202b',
    font: '16px system-ui, sans-serif',
    cursor: 'pointer',
  });
  return close;
}

/** Prevents scrolling, and keeps the width of the page when the scroll bar goes. */
const FROZEN = { overflow: 'hidden', 'scrollbar-gutter': 'stable' } as const;

/** Stops the page from scrolling. Returns the function that restores its own styles and scroll position. */
function freezeScroll(): () => void {
  const { style } = document.documentElement;
  const [x, y] = [window.scrollX, window.scrollY];
  const hasScrollBar = window.innerWidth > document.documentElement.clientWidth;
  const before = Object.entries(FROZEN).map(([name, value]) => {
    const own = [name, style.getPropertyValue(name), style.getPropertyPriority(name)] as const;
    if (name === 'overflow' || hasScrollBar) style.setProperty(name, value, 'important');
    return own;
  });
  return () => {
    for (const own of before) style.setProperty(...own);
    window.scrollTo({ left: x, top: y, behavior: 'instant' });
  };
}

/** null: the message is not from the checkout. */
export function messageIn(data: unknown): EmbedMessage | null {
  if (typeof data !== 'object' || data === null || !('source' in data) || data.source !== 'tideline') return null;
  const fields: { readonly [key: string]: unknown } = { ...data };
  switch (fields['type']) {
    case 'ready':
    case 'closed':
      return { type: fields['type'] };
    case 'completed':
      return {
        type: 'completed',
        kind: String(fields['kind']),
        subscriptionId: textIn(fields['subscriptionId']),
        paymentId: textIn(fields['paymentId']),
      };
    default:
      return null;
  }
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
