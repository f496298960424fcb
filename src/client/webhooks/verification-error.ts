/**
 * Why a delivery is not believed.
 *
 * - `secret_missing`: no signing secret was handed in. A fault of the endpoint's own configuration.
 * - `body_not_raw`: the body is neither text nor bytes, so that it cannot be what was signed: it has been parsed.
 * - `body_too_large`: larger than any event is.
 * - `header_missing`, `header_malformed`: of the timestamp or the signature.
 * - `signature_mismatch`: no signature was made with this secret over this timestamp and these bytes.
 * - `timestamp_outside_tolerance`: signed with the secret, but too long ago or ahead: replayed, or a clock is wrong.
 * - `event_malformed`: signed with the secret, but no event.
 */
export type WebhookVerificationReason =
  | 'secret_missing'
  | 'body_not_raw'
  | 'body_too_large'
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_outside_tolerance'
  | 'event_malformed';

/** A delivery that must not be believed: answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
