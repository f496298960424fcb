import type { StaffDeposit } from '../billing/administration/deposits.ts';
import { type Account, keyIdOf } from '../billing/administration/merchants.ts';
import type { TokenWallet } from '../billing/payout/wallet-changes.ts';
import { budgetsOf } from '../billing/resources/budgets.ts';
import { brandingView } from '../http/branding.ts';
import { momentOrNull, momentsOf } from '../http/schemas.ts';
import { formatAmount } from '../model/amounts.ts';
import { leftOf } from '../model/deposit.ts';
import { pick } from '../model/pick.ts';
import type { ApiKeyDoc, MerchantDoc, StaffEntryDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';
import { effectiveUrl } from '../webhooks/deliveries.ts';
import type { AccountView, DepositView, KeyRow, MerchantRow, PayoutRow, StaffEntry } from './wire.ts';

export function depositView({ book, arrival, token, unit }: StaffDeposit): DepositView {
  const inTokens = (units: bigint) => formatAmount(units, unit.decimals);
  return {
    paymentId: book._id,
    ...pick(book, 'merchantId', 'mode', 'chainId'),
    tokenKey: token?.key ?? null,
    ...pick(arrival, 'id', 'token', 'txHash', 'from', 'fate', 'held'),
    unit: unit.name,
    depositAddress: book.address,
    amount: inTokens(BigInt(arrival.amount)),
    charged: inTokens(BigInt(arrival.charged)),
    refunded: inTokens(BigInt(arrival.refunded)),
    left: inTokens(leftOf(arrival)),
    refundTo: arrival.refund?.to ?? null,
    refundTxHash: arrival.refund?.txHash ?? null,
  };
}

export function merchantView(merchant: MerchantDoc): MerchantRow {
  const { _id: id, name, status, feeBps, limitFactor } = merchant;
  return { id, name, status, feeBps, limitFactor, ...budgetsOf(merchant), ...momentsOf(merchant) };
}

export function keyView(key: ApiKeyDoc): KeyRow {
  const { mode, hint, createdAt, revokedAt } = key;
  return { id: keyIdOf(key), mode, hint, createdAt: createdAt.toISOString(), revokedAt: momentOrNull(revokedAt) };
}

export function staffWalletView(wallet: TokenWallet): PayoutRow {
  const { _id: id, mode, tokenKey, chainId, receiverWallet } = wallet;
  return { id, mode, tokenKey, chainId, receiverWallet, ...momentsOf(wallet) };
}

export function accountView({ merchant, keys, wallets }: Account): AccountView {
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
    branding: brandingView(merchant),
    summaryTo: merchant.letters?.summaryTo ?? null,
  };
}

function delivery({ webhook }: MerchantDoc, of: Mode): AccountView['webhooks']['live'] {
  const url = of === 'live' ? webhook.liveUrl : webhook.testUrl;
  return { url, effectiveUrl: effectiveUrl(webhook, of), extraEvents: webhook.extraEvents[of] };
}

export function entryView(entry: StaffEntryDoc): StaffEntry {
  const { _id: id, at, by, reason, action, details } = entry;
  return { id, at: at.toISOString(), by, reason, action, details };
}
