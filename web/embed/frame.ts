/** The checkout in front of a page. */
export interface Frame {
  window(): Window | null;
  close(): void;
}

/** Styles go through properties: a page whose policy forbids inline styles shows the same. */
function style(element: HTMLElement, properties: { readonly [name: string]: string }): void {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

/** Shows an address in a modal dialog: the page behind it is out of reach, Escape closes it. */
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
  });
  const frame = document.createElement('iframe');
  frame.src = url;
  frame.title = 'Checkout';
  frame.allow = 'clipboard-write';
  style(frame, { display: 'block', width: '100%', height: '100%', border: '0' });
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
  dialog.append(frame, close);
  dialog.addEventListener('close', () => {
    dialog.remove();
    onClose();
  });
  close.addEventListener('click', () => dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return { window: () => frame.contentWindow, close: () => dialog.close() };
}
