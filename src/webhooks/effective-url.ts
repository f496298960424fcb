import type { WebhookSettings } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';

/**
 * The URL to which deliveries of a mode go now; null if there is none (reference, section 6: Delivery). Sandbox events
 * go to the live URL when there is no sandbox URL; live events never go to the sandbox URL.
 */
export function effectiveUrl(settings: WebhookSettings, mode: Mode): string | null {
  const own = mode === 'live' ? settings.liveUrl : settings.testUrl;
  return own || settings.liveUrl || null;
}
