import { z } from 'zod';
import type { Signed } from '../billing/checkout/complete.ts';
import type { Chosen } from '../billing/checkout/offer.ts';
import type { OpenSession } from '../billing/checkout/sessions.ts';
import { readerOf } from '../billing/customers/changes.ts';
import { invalid } from '../errors/fault.ts';
import {
  contactFields,
  couponCode,
  customVariables,
  languageField,
  quantityField,
  text,
} from '../http/input/fields.ts';
import { validate } from '../http/input/validate.ts';
import { orNull } from '../model/pick.ts';
import { isTimeZone } from '../model/time-zones.ts';

/** Path parameters: `{offerId}`, `{sessionKey}`, `{token}`. */
export const offerParams = z.object({ offerId: z.string() });
export const couponParams = offerParams.extend({ code: z.string() });
export const sessionParams = z.object({ sessionKey: z.string() });
export const tokenParams = z.object({ token: z.string() });

/** Enough for the signatures of contract wallets, in hex. */
const SIGNATURE_LENGTH_MAX = 8_194;
const MESSAGE_LENGTH_MAX = 4_096;

const SESSION_KEY_LENGTH = 'must be 16 to 100 characters long';

const permit = z.object({
  value: z.string().regex(/^\d{1,78}$/, 'must be base units as decimal digits'),
  deadline: z.string().regex(/^\d{1,78}$/, 'must be Unix seconds as decimal digits'),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){64,65}$/, 'must be a signature in hex'),
});

/** Accepted as sent; the fields are divided later. */
const collected = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean()], { error: 'must be a string, a number, true or false' }),
);

export const addressField = text(100);
export const refundWalletField = text(100);

/** A wallet's signature, with its message and address. */
export const signedFields = {
  address: addressField,
  message: text(MESSAGE_LENGTH_MAX),
  signature: text(SIGNATURE_LENGTH_MAX),
  permit: permit.nullish(),
};

/** How the page is read: for letters. A zone that this process does not know is left out: a browser may be newer. */
export const readerFields = {
  language: languageField,
  timeZone: z
    .string()
    .max(64)
    .nullish()
    .transform((name) => (name && isTimeZone(name) ? name : undefined)),
};

/** The body with which a page subscribes or pays. */
export const sessionFields = {
  priceId: text(100),
  tokenKey: text(100).nullish(),
  quantity: quantityField.nullish(),
  coupon: couponCode.nullish(),
  paymentMethod: z.enum(['wallet_connect', 'wallet_transfer']).nullish(),
  sessionKey: z.string().min(16, SESSION_KEY_LENGTH).max(100, SESSION_KEY_LENGTH),
  // A wallet transfer needs neither, so the kind is checked before missing fields are reported.
  address: signedFields.address.nullish(),
  message: signedFields.message.nullish(),
  signature: signedFields.signature.nullish(),
  permit: signedFields.permit,
  collected: collected.nullish(),
  ...readerFields,
};

type SentChoice = Pick<z.output<typeof sessionBody>, 'priceId' | 'tokenKey' | 'quantity' | 'coupon'>;

/** The choices of a payer at an offer; null: not sent. */
export function chosenIn(sent: SentChoice): Chosen {
  return { priceId: sent.priceId, ...orNull(sent, 'tokenKey', 'quantity', 'coupon') };
}

const sessionBody = z.object({ ...sessionFields, refundWallet: refundWalletField.nullish() });

/** The body of a page's post, checked without a database. Throws 400 and names the field. */
export function openingOf(body: z.output<typeof sessionBody>): OpenSession {
  return {
    ...chosenIn(body),
    sessionKey: body.sessionKey,
    signed: body.paymentMethod === 'wallet_transfer' ? null : signedOf(body),
    collected: collectedOf(body.collected ?? {}),
    ...readerOf({ language: body.language ?? undefined, timeZone: body.timeZone }),
    refundWallet: body.refundWallet ?? null,
  };
}

function signedOf(body: z.output<typeof sessionBody>): Signed {
  const { address, message, signature } = body;
  if (address === undefined || address === null) throw invalid('address is required');
  if (message === undefined || message === null) throw invalid('message is required');
  if (signature === undefined || signature === null) throw invalid('signature is required');
  return { address, message, signature, permit: body.permit ?? null };
}

const ofCustomer = z.object({ collected: z.object(contactFields) });
const ofOthers = z.object({ collected: customVariables });

/** Email, phone and name belong to the customer. The other fields belong to the purchase, within the same limits. */
function collectedOf(sent: z.output<typeof collected>): OpenSession['collected'] {
  const { email: _e, phone: _p, name: _n, ...rest } = sent;
  const customer = validate(ofCustomer, { collected: sent }).collected;
  const others = validate(ofOthers, { collected: rest }).collected;
  return { ...orNull(customer, 'email', 'phone', 'name'), others };
}
