import type { MerchantDoc, SigningSecrets } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';

/** Where a merchant's document has signing secrets, and to whom their encryption is bound. */
export interface SecretSlot {
  readonly path: string;
  readonly owner: string;
}

/** Of the secret that signs the events of both modes. */
export function sharedSecretSlot(merchantId: string): SecretSlot {
  return { path: 'webhook', owner: merchantId };
}

/** Of the secret of one mode. Its owner is not the other mode's: a copy in the database opens nowhere else. */
export function modeSecretSlot({ merchantId, mode }: Tenant): SecretSlot {
  return { path: `webhook.modeSecrets.${mode}`, owner: `${merchantId}:${mode}` };
}

/** All signing secrets of a merchant that were made. */
export function signingSecretsOf({ _id, webhook }: MerchantDoc): readonly (SecretSlot & SigningSecrets)[] {
  const { test, live } = webhook.modeSecrets ?? {};
  return [
    { ...sharedSecretSlot(_id), ...webhook },
    ...(test ? [{ ...modeSecretSlot({ merchantId: _id, mode: 'test' }), ...test }] : []),
    ...(live ? [{ ...modeSecretSlot({ merchantId: _id, mode: 'live' }), ...live }] : []),
  ];
}
