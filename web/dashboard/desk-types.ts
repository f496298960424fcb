import type { components } from '../../packages/client/src/schema.ts';

type Schemas = components['schemas'];

/* More answers of the merchant API, by their names there. */
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookSecret = Schemas['GetWebhookSecretResponse'];
export type RotatedSecret = Schemas['RotateWebhookSecretResponse'];
export type Events = Schemas['ListEventsResponse'];
export type EventKind = Schemas['EventKind'];
export type EventRecord = Schemas['EventRecord'];
export type Delivery = Schemas['Delivery'];
export type Wallet = Schemas['Wallet'];
