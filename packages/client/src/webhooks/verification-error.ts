/**
 * Why a delivery is rejected.
 *
 * - `secret_missing`: no signing secret was passed. The endpoint's own configuration is wrong.
 * - `body_not_raw`: the body is neither text nor bytes. It was parsed, so its signed form is lost.
 * - `body_too_large`: larger than any event.
 * - `header_missing`, `header_malformed`: of the timestamp or the signature.
 * - `signature_mismatch`: no signature fits this secret, this timestamp and these bytes.
 * - `timestamp_outside_tolerance`: the signature is valid, but too old or in the future: a replay, or a wrong clock.
 * - `event_malformed`: the signature is valid, but the body is not an event.
 * - `mode_mismatch`: the signature is valid, but the event is not of `mode`. No goods are due for a test.
 */
export type WebhookVerificationReason =
  | 'secret_missing'
  | 'body_not_raw'
  | 'body_too_large'
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'event_malformed'
  | 'mode_mismatch';

/** A delivery that must be rejected: answer 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
