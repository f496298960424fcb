import { z } from 'zod';
import { moment } from '../../machines/effects.ts';
import { brandingSchema, mode, pageEcho } from '../http/schemas.ts';
import { attemptSchema, resultSchema, keySchema as staffKey, staffWalletSchema } from '../staff/wire.ts';

/*
 * The answers of the dashboard's own routes as JSON (docs/rules.md, "Dashboard"): schemas for the endpoints, and types
 * for the views that make them and for the page that reads them. All other answers are those of the merchant API.
 */

/** `brandingSchema` of the pages, and who sells, for receipts. */
export const ownBrandingSchema = z.strictObject({
  ...brandingSchema.shape,
  /** null: the merchant's name alone. */
  legalName: z.string().nullable(),
  /** In several lines; null: none. */
  legalAddress: z.string().nullable(),
});
export type OwnBranding = z.output<typeof ownBrandingSchema>;

export const memberRole = z.enum(['viewer', 'member', 'admin']);
export type MemberRole = z.output<typeof memberRole>;

const memberFields = { id: z.string(), name: z.string(), role: memberRole } as const;

const passkeySchema = z.strictObject({ id: z.string(), createdAt: moment });
export type Passkey = z.output<typeof passkeySchema>;

export const sessionSchema = z.strictObject({
  member: z.strictObject(memberFields),
  merchant: z.strictObject({ id: z.string(), name: z.string(), status: z.enum(['active', 'suspended']) }),
  passkeys: z.array(passkeySchema),
  expiresAt: moment,
  /** Until when the last proof of the person counts; then a passkey renews it. */
  provenUntil: moment,
});
export type DashboardSession = z.output<typeof sessionSchema>;

export const openedSchema = z.strictObject({ session: sessionSchema });

export const sessionStateSchema = z.strictObject({
  /** null: none is open. */
  session: sessionSchema.nullable(),
  /** False: browsers make no passkeys for this address of the service. */
  hasPasskeys: z.boolean(),
});
export type DashboardSessionState = z.output<typeof sessionStateSchema>;

/** Options for `navigator.credentials` as JSON, in the shape of WebAuthn Level 3. */
export const credentialOptionsSchema = z.strictObject({ options: z.record(z.string(), z.unknown()) });

export const memberSchema = z.strictObject({
  ...memberFields,
  /** Until when the open link of the person can be used; null: there is none. */
  invitedUntil: moment.nullable(),
  passkeys: z.int(),
  createdAt: moment,
});
export type Member = z.output<typeof memberSchema>;

export const membersSchema = z.strictObject({ members: z.array(memberSchema) });

/** Only this answer shows the link. */
export const invitedSchema = z.strictObject({ member: memberSchema, url: z.string(), expiresAt: moment });
export type Invited = z.output<typeof invitedSchema>;

export const keySchema = z.strictObject({
  ...staffKey.shape,
  /** To the day; null: it was not used since the service notes it. */
  lastUsedAt: moment.nullable(),
});
export type Key = z.output<typeof keySchema>;

export const keysSchema = z.strictObject({ keys: z.array(keySchema) });

/** Only this answer shows the key. */
export const issuedKeySchema = z.strictObject({ ...keySchema.shape, key: z.string() });
export type IssuedKey = z.output<typeof issuedKeySchema>;

export const setWalletSchema = staffWalletSchema.omit({ createdAt: true, updatedAt: true });
export type SetWallet = z.output<typeof setWalletSchema>;

/** The sites that may frame the checkout of live offers, as `https://host:port`. */
export const embedOriginsSchema = z.strictObject({ origins: z.array(z.string()) });
export type EmbedOrigins = z.output<typeof embedOriginsSchema>;

/** The letters to customers, and the weekly summary (docs/rules.md, "Letters"). */
export const letterSettingsSchema = z.strictObject({
  live: z.boolean(),
  test: z.boolean(),
  /** null: answers go to the sender of the installation. */
  replyTo: z.string().nullable(),
  /** Days before a charge; null: no reminder. */
  reminderDays: z.int().nullable(),
  /** Of customers whose own is not known; null: English. */
  language: z.string().nullable(),
  /** The address of the weekly summary of live mode; null: there is none. */
  summaryTo: z.string().nullable(),
  /** False: the operator of the service sends no letters at all. */
  hasMailServer: z.boolean(),
});
export type LetterSettings = z.output<typeof letterSettingsSchema>;

/** How invoices are made (docs/rules.md, "Invoices"). */
export const invoicingSchema = z.strictObject({
  /** Payments that settle from then on have invoices; null: none has. */
  since: moment.nullable(),
  country: z.string(),
  taxId: z.string().nullable(),
  currency: z.string(),
  isTaxIncluded: z.boolean(),
  /** In percent. */
  taxRate: z.string(),
  /** By the country of the customer, where it differs. */
  taxRates: z.record(z.string(), z.string()),
});
export type Invoicing = z.output<typeof invoicingSchema>;

/** What needs the people of a merchant, with the page of the dashboard that helps. */
const alertSchema = z.strictObject({
  name: z.enum(['endpoint', 'wallet', 'token', 'key']),
  tone: z.enum(['bad', 'warn', 'plain']),
  title: z.string(),
  text: z.string(),
  link: z.string(),
  page: z.enum(['developers', 'settings', 'offers']),
  query: z.record(z.string(), z.string()),
});
export type Alert = z.output<typeof alertSchema>;

/** A number of the last 30 days, or as of now, with the list that it counts. */
const figureSchema = z.strictObject({
  name: z.string(),
  /** Sums by ticker, in token units; null: it is a count. */
  amounts: z.array(z.strictObject({ ticker: z.string(), amount: z.string() })).nullable(),
  count: z.int(),
  isBad: z.boolean(),
  page: z.enum(['payments', 'subscriptions', 'revenue']),
  query: z.record(z.string(), z.string()),
});
export type Figure = z.output<typeof figureSchema>;

/** A token that can be charged, and what it still needs. */
const enabledTokenSchema = z.strictObject({
  key: z.string(),
  /** "USDC on Base". */
  text: z.string(),
  hasWallet: z.boolean(),
  /** The number of active offers that take it. */
  offers: z.int(),
});

export const overviewSchema = z.strictObject({
  alerts: z.array(alertSchema),
  figures: z.array(figureSchema),
  /** Those whose chain the operator has enabled. */
  tokens: z.array(enabledTokenSchema),
  /** The names of the chains that the operator has not enabled. */
  closedChains: z.array(z.string()),
});
export type Overview = z.output<typeof overviewSchema>;

const activitySchema = z.strictObject({
  id: z.string(),
  at: moment,
  /** The name of the person; null: the operator of the service. */
  by: z.string().nullable(),
  /** The network address; null: not noted. */
  from: z.string().nullable(),
  /** The change, in words. */
  text: z.string(),
  /** null: it is of both. */
  mode: mode.nullable(),
  /** What it changed; null: nothing with an id. */
  resourceId: z.string().nullable(),
  /** The page that shows the resource; null: none does. */
  page: z.enum(['offers', 'customers', 'subscriptions', 'payments', 'developers']).nullable(),
});
export type Activity = z.output<typeof activitySchema>;

export const activitiesSchema = z.strictObject({ activity: z.array(activitySchema), ...pageEcho });
export type Activities = z.output<typeof activitiesSchema>;

/** Only this answer shows the secret; null: the environment has one already. */
export const firstSecretSchema = z.strictObject({ secret: z.string().nullable() });
export type FirstSecret = z.output<typeof firstSecretSchema>;

/** How the endpoint answered a test event, which is sent once and kept nowhere. */
export const testEventSchema = attemptSchema.omit({ attempt: true, startedAt: true });
export type TestEvent = z.output<typeof testEventSchema>;

/** What the search has found, the most exact first. */
export const searchSchema = z.strictObject({ results: z.array(resultSchema) });
export type Found = z.output<typeof searchSchema>;

/** By id: of a customer the name, else the e-mail address, else the merchant's own id. Nameless ones are left out. */
export const namesSchema = z.strictObject({ names: z.record(z.string(), z.string()) });
export type Names = z.output<typeof namesSchema>;
