import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { type RefundState, refundFailure, refundStatus } from '../../../machines/refund/context.ts';
import type { PaymentRefund, RefundList, SentByWallets } from '../../billing/refunds/refunds.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { computedAmount, createdAt, idSchema, isSandbox, txHash } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import { paymentAttributes, paymentUnits } from '../../model/payment.ts';
import type { DepositArrival, DepositDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';

const fields = {
  id: z.string().describe('The refund: `ref_…`. The service returns the rest of a deposit under an id with `dep_…`.'),
  paymentId: idSchema('pay_').describe('The payment.'),
  source: z
    .enum(['merchant', 'deposit'])
    .describe(
      '`merchant`: the merchant gives it back from its own wallet. `deposit`: the service returns what a deposit address received and the charge did not use.',
    ),
  status: refundStatus.describe(
    '`requested`: it waits for the transfer of the merchant. `sent`: the transfer is in a block. `settled`: that block is final. `failed`: given up before anything moved. `expired`: no transfer came within seven days. A transfer that comes later all the same makes it `sent` and `settled`, if it comes within 30 days of the request.',
  ),
  amount: computedAmount.describe('What the payer gets, in token units.'),
  tokenKey: z.string().describe('The token: that of the payment; of a deposit, the one that arrived.'),
  chainId: z.int().describe('The chain of the token.'),
  toWallet: z
    .string()
    .nullable()
    .describe('Who gets it: the wallet that has paid; of a `wallet_transfer` its refund wallet.'),
  reason: z.string().nullable().describe('As sent.'),
  failureReason: refundFailure
    .nullable()
    .describe(
      '`canceled`: by the merchant. `payment_reversed`: the chain has dropped the charge of the payment. `null`: it has not failed.',
    ),
  txHash: txHash.describe('The transaction of the transfer; `null` until it is in a block.'),
  sentByWallet: z
    .strictObject({
      txHash: txHash.describe('The transaction that the wallet named; `null`: none.'),
      at: moment.describe('When the service heard of it.'),
    })
    .nullable()
    .describe(
      'What POST …/sent said of a `requested` refund: a wallet has sent it, so do not send it again. `null`: nothing.',
    ),
  idempotencyKey: z.string().nullable().describe('The `idempotencyKey` of the request; `null` for a deposit.'),
  isSandbox,
  createdAt,
  expiresAt: moment.nullable().describe('Until when the transfer is expected; `null` for a deposit.'),
  settledAt: moment.nullable().describe('When the transfer was final; `null` until then, and for a deposit.'),
};

/** A refund of a payment (docs/rules.md, "Refunds"): all of it is additive to the reference. */
export const refundSchema = z.strictObject(fields);

const evmTransaction = z.strictObject({
  family: z.literal('evm').describe('The chain is an EVM chain: the fields are those of `eth_sendTransaction`.'),
  purpose: z
    .enum(['approve', 'refund'])
    .describe('`approve`: lets the router take the amount. `refund`: the router passes it on and names the charge.'),
  chainId: z.int().describe('The chain on which it is sent: with a test key, the playing one.'),
  from: z.string().describe('The wallet of the merchant.'),
  to: z.string().describe('The token, or the router.'),
  data: z.string().describe('The call data, 0x-hex.'),
  value: z.literal('0').describe('Nothing of the native coin is sent.'),
});

const solanaTransaction = z.strictObject({
  family: z.literal('solana').describe('The chain is Solana.'),
  purpose: z.literal('refund').describe('It transfers the amount, and names payment and refund.'),
  chainId: z.int().describe('The chain on which it is sent: with a test key, the playing one.'),
  from: z.string().describe('The wallet of the merchant, which signs and pays the fee.'),
  transaction: z
    .string()
    .describe('Base64 of the unsigned transaction, valid for about a minute. Read the refund again for a fresh one.'),
});

/** A refund with what the merchant's wallet has to send. */
export const sendableRefundSchema = z.strictObject({
  ...fields,
  transactions: z
    .array(z.union([evmTransaction, solanaTransaction]))
    .nullable()
    .describe(
      'Unsigned, to be sent in this order by the wallet of the merchant. `null`: the refund is not `requested`, or the chain does not answer now.',
    ),
  balance: computedAmount
    .nullable()
    .describe('What that wallet has now, in token units. With less than `amount` its transfer would fail.'),
});

export function refundView(
  { payment, refund, sent }: { payment: ActorDoc; refund: RefundState; sent?: SentByWallets | undefined },
  catalog: Catalog,
): z.output<typeof refundSchema> {
  const { tokenKey, chainId } = paymentAttributes.parse(payment.attributes);
  const told = refund.status === 'requested' ? sent?.[refund.id] : undefined;
  return {
    id: refund.id,
    paymentId: payment._id,
    source: 'merchant',
    status: refund.status,
    amount: paymentUnits(payment, catalog)(refund.amount),
    tokenKey,
    chainId,
    toWallet: refund.receiver,
    reason: refund.reason,
    failureReason: refund.failure,
    txHash: refund.transfer?.transaction ?? null,
    sentByWallet: told === undefined ? null : { txHash: told.txHash, at: told.at.toISOString() },
    idempotencyKey: refund.idempotencyKey,
    isSandbox: payment.mode === 'test',
    createdAt: refund.requestedAt,
    expiresAt: refund.expiresAt,
    settledAt: refund.settledAt,
  };
}

export function sendableRefundView(
  { draft, ...refund }: PaymentRefund,
  catalog: Catalog,
): z.output<typeof sendableRefundSchema> {
  const [transactions, balance] = draft === null ? [null, null] : [[...draft.transactions], draft.balance];
  return { ...refundView(refund, catalog), transactions, balance };
}

/** Lists the refunds of a payment, the newest first. The returned rest of its deposits comes last. */
export function refundListView({ refunds, deposits, ...of }: RefundList, catalog: Catalog) {
  const own = refunds.map((refund) => refundView({ ...of, refund }, catalog)).reverse();
  return [...own, ...(deposits === null ? [] : depositViews(deposits, catalog))];
}

/** Deposits that are returned or were. Tokens that the catalog does not have are shown to staff only. */
function depositViews(doc: DepositDoc, catalog: Catalog): z.output<typeof refundSchema>[] {
  const tokens = catalog.chain(doc.chainId)?.tokens ?? [];
  return doc.arrivals.flatMap((arrival) => {
    const token = tokens.find(({ address }) => address === arrival.token);
    const units = returnedOf(arrival);
    if (token === undefined || units === 0n) return [];
    return [
      {
        id: arrival.id,
        paymentId: doc._id,
        source: 'deposit' as const,
        status: arrival.fate === 'refunding' ? ('requested' as const) : ('settled' as const),
        amount: formatAmount(units, token.decimals),
        tokenKey: token.key,
        chainId: token.chainId,
        toWallet: arrival.refund?.to ?? null,
        reason: null,
        failureReason: null,
        txHash: arrival.refund?.txHash ?? null,
        sentByWallet: null,
        idempotencyKey: null,
        isSandbox: doc.mode === 'test',
        createdAt: doc.createdAt.toISOString(),
        expiresAt: null,
        settledAt: null,
      },
    ];
  });
}

/** Base units that are on their way back, or are back. */
function returnedOf({ fate, refund, refunded }: DepositArrival): bigint {
  return fate === 'refunding' ? BigInt(refund?.amount ?? '0') : BigInt(refunded);
}
