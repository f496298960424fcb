import { z } from 'zod';
import { moment } from '../../machines/effects.ts';
import type { Account } from '../billing/administration/administration.ts';
import type { StaffDeposit } from '../billing/administration/deposits.ts';
import { keyIdOf } from '../billing/administration/keys.ts';
import { formatAmount } from '../billing/amounts.ts';
import { leftOf } from '../billing/deposits/allocate.ts';
import type { TokenWallet } from '../billing/payout/wallet-changes.ts';
import { idSchema, jsonMap, momentOrNull } from '../http/schemas.ts';
import type { ApiKeyDoc, MerchantDoc, StaffEntryDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { effectiveUrl } from '../webhooks/effective-url.ts';
import { type DepositView, mode } from './wire.ts';

/** A merchant as a list shows it. */
export const merchantSchema = z.strictObject({
  id: idSchema('mrc_'),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  /** Basis points. */
  feeBps: z.int(),
  limitFactor: z.int(),
  createdAt: moment,
  updatedAt: moment,
});

/** A key for staff: its properties, never the key itself. */
export const keySchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{16}$/),
  mode,
  /** The last four characters. */
  hint: z.string(),
  createdAt: moment,
  revokedAt: moment.nullable(),
});

/** A payout wallet; `receiverWallet` is null once staff have removed it. */
export const staffWalletSchema = z.strictObject({
  id: idSchema('wal_'),
  mode,
  tokenKey: z.string(),
  chainId: z.int(),
  receiverWallet: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
});

const deliversTo = z.strictObject({ url: z.string(), effectiveUrl: z.string().nullable(), extraEvents: z.boolean() });

/** A merchant with all data that staff check, without secrets. */
export const accountSchema = z.strictObject({
  ...merchantSchema.shape,
  keys: z.array(keySchema),
  webhooks: z.strictObject({
    secretConfigured: z.boolean(),
    secretRotatedAt: moment.nullable(),
    test: deliversTo,
    live: deliversTo,
  }),
  wallets: z.array(staffWalletSchema),
});

/** One action of staff, or of a person of the merchant. */
export const entrySchema = z.strictObject({
  id: z.string(),
  at: moment,
  by: z.string(),
  reason: z.string(),
  action: z.enum([
    'merchant.suspended',
    'merchant.reinstated',
    'merchant.changed',
    'key.issued',
    'key.revoked',
    'wallet.set',
    'wallet.removed',
    'delivery.redelivered',
    'deposit.sent',
    'actor.released',
    'actor.restored',
    'member.invited',
    'member.changed',
    'member.removed',
  ]),
  details: jsonMap,
});

export function depositView({ book, arrival, token, unit }: StaffDeposit): DepositView {
  const { _id: paymentId, merchantId, mode: of, chainId, address: depositAddress } = book;
  const inTokens = (units: bigint) => formatAmount(units, unit.decimals);
  return {
    id: arrival.id,
    paymentId,
    merchantId,
    mode: of,
    chainId,
    tokenKey: token?.key ?? null,
    token: arrival.token,
    unit: unit.name,
    depositAddress,
    txHash: arrival.txHash,
    from: arrival.from,
    amount: inTokens(BigInt(arrival.amount)),
    charged: inTokens(BigInt(arrival.charged)),
    refunded: inTokens(BigInt(arrival.refunded)),
    left: inTokens(leftOf(arrival)),
    fate: arrival.fate,
    held: arrival.held,
    refundTo: arrival.refund?.to ?? null,
    refundTxHash: arrival.refund?.txHash ?? null,
  };
}

export function merchantView(merchant: MerchantDoc): z.output<typeof merchantSchema> {
  const { _id: id, name, status, feeBps, limitFactor, createdAt, updatedAt } = merchant;
  return {
    id,
    name,
    status,
    feeBps,
    limitFactor,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function keyView(key: ApiKeyDoc): z.output<typeof keySchema> {
  const { mode, hint, createdAt, revokedAt } = key;
  return { id: keyIdOf(key), mode, hint, createdAt: createdAt.toISOString(), revokedAt: momentOrNull(revokedAt) };
}

export function staffWalletView(wallet: TokenWallet): z.output<typeof staffWalletSchema> {
  const { _id: id, mode, tokenKey, chainId, receiverWallet, createdAt, updatedAt } = wallet;
  return {
    id,
    mode,
    tokenKey,
    chainId,
    receiverWallet,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function accountView({ merchant, keys, wallets }: Account): z.output<typeof accountSchema> {
  const { secret, secretRotatedAt } = merchant.webhook;
  return {
    ...merchantView(merchant),
    keys: keys.map(keyView),
    webhooks: {
      secretConfigured: secret !== null,
      secretRotatedAt: momentOrNull(secretRotatedAt),
      test: delivery(merchant, 'test'),
      live: delivery(merchant, 'live'),
    },
    wallets: wallets.map(staffWalletView),
  };
}

function delivery({ webhook }: MerchantDoc, of: Mode): z.output<typeof deliversTo> {
  const url = of === 'live' ? webhook.liveUrl : webhook.testUrl;
  return { url, effectiveUrl: effectiveUrl(webhook, of), extraEvents: webhook.extraEvents[of] };
}

export function entryView(entry: StaffEntryDoc): z.output<typeof entrySchema> {
  const { _id: id, at, by, reason, action, details } = entry;
  return { id, at: at.toISOString(), by, reason, action, details };
}
