/** The messages of a framed page to the page around it. */
export type EmbedMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'closed' }
  | {
      readonly type: 'completed';
      readonly kind: string;
      readonly subscriptionId: string | null;
      readonly paymentId: string | null;
    };

/**
 * The one origin that may frame this page, from its own address; null: the page is not in a frame. The policy of the
 * page enforces it.
 */
export function embedder(): string | null {
  if (window.parent === window) return null;
  const named = new URLSearchParams(location.search).get('embed');
  return named !== null && URL.canParse(named) ? new URL(named).origin : null;
}

/**
 * Escape in a frame does not reach the page around it, which should close its dialog. Returns the function that ends
 * this.
 */
export function closeOnEscape(): () => void {
  const close = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) notifyEmbedder({ type: 'closed' });
  };
  window.addEventListener('keydown', close);
  return () => window.removeEventListener('keydown', close);
}

/** Sends to the page around this one, and to no page of another origin. */
export function notifyEmbedder(message: EmbedMessage): void {
  const origin = embedder();
  if (origin !== null) window.parent.postMessage({ source: 'tideline', ...message }, origin);
}
