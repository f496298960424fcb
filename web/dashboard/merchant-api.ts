import type { components } from '../../packages/client/src/schema.ts';

type Schemas = components['schemas'];

/* The answers of the merchant API, by their names there. */
export type Chain = Schemas['Chain'];
export type Currencies = Schemas['ListCurrenciesResponse'];
export type Offer = Schemas['Offer'];
export type Offers = Schemas['ListOffersResponse'];
export type PricingOption = Schemas['PricingOption'];
export type PricingOptionInput = Schemas['PricingOptionInput'];
export type BillingInterval = Schemas['BillingInterval'];
export type Wallets = Schemas['ListWalletsResponse'];
export type Customer = Schemas['Customer'];
export type Customers = Schemas['ListCustomersResponse'];
export type PortalSession = Schemas['CreatePortalSessionResponse'];
export type Subscription = Schemas['Subscription'];
export type Subscriptions = Schemas['ListSubscriptionsResponse'];
export type SubscriptionStatusView = Schemas['SubscriptionStatusView'];
export type Migration = Schemas['MigrateSubscriptionResponse'];
export type PayerChange = Schemas['ChangePayerResponse'];
export type Payment = Schemas['Payment'];
export type Payments = Schemas['ListPaymentsResponse'];
export type Charged = Schemas['SandboxChargeResponse'];
export type Advanced = Schemas['AdvanceResult'];
export type Revenue = Schemas['GetRevenueResponse'];
export type Period = Revenue['periods'][number];
export type Cohorts = Schemas['GetCohortsResponse'];
export type Cohort = Cohorts['cohorts'][number];
export type Month = Schemas['ListSettlementsResponse'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookSecret = Schemas['GetWebhookSecretResponse'];
export type RotatedSecret = Schemas['RotateWebhookSecretResponse'];
export type Events = Schemas['ListEventsResponse'];
export type EventKind = Schemas['EventKind'];
export type EventRecord = Schemas['EventRecord'];
export type Delivery = Schemas['Delivery'];
export type Wallet = Schemas['Wallet'];
