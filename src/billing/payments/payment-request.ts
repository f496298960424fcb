import { unknownCase } from '../../../machines/unknown-case.ts';
import { invalid } from '../../errors/fault.ts';
import { isSameAddress } from '../../model/addresses.ts';
import { parseAmount } from '../../model/amounts.ts';
import { requireMinimum, requireToken } from '../../model/tokens.ts';
import type { CustomerDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { chainOf, type PaidOn, type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';
import type { CreatePayment } from './payments.ts';

/** A POST /payments whose fields have the right types but are not checked further. */
export type PaymentRequest = Omit<CreatePayment, 'amount' | 'chainId' | 'family'> & { readonly amount: string };

/**
 * Checks a direct charge against the catalog (docs/rules.md, "Payments"). Throws 400 naming the field. Without a payer
 * it uses the wallet that `customer` has of the token's family. Does not check whether the chain is enabled or the key
 * was used.
 */
export async function checkPaymentRequest(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  request: PaymentRequest,
  customer: Pick<CustomerDoc, '_id' | 'wallets'> | null = null,
): Promise<CreatePayment> {
  const token = requireToken(deps.catalog, tenant.mode, request.tokenKey, 'tokenKey');
  const { family } = token;
  const amount = parseAmount(request.amount, token, 'amount');
  if (amount === 0n) throw invalid('amount must be more than zero');
  requireMinimum(deps.catalog, tenant.mode, token, amount, 'amount');
  const paidOn = chainOf(token);
  const [toWallet, fromWallet] = await Promise.all([
    requirePayoutAddress(deps, tenant, paidOn, request.toWallet, 'toWallet'),
    requirePayer(deps, tenant, paidOn, request, customer),
  ]);
  if (fromWallet !== null && isSameAddress(family, fromWallet, toWallet)) {
    throw invalid('toWallet must not be the same as fromWallet');
  }
  const { refundWallet } = request;
  return {
    ...request,
    chainId: token.chainId,
    family,
    amount,
    toWallet,
    fromWallet,
    refundWallet:
      refundWallet === null ? null : await requirePayoutAddress(deps, tenant, paidOn, refundWallet, 'refundWallet'),
  };
}

async function requirePayer(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  paysOn: PaidOn,
  request: PaymentRequest,
  customer: Pick<CustomerDoc, '_id' | 'wallets'> | null,
): Promise<string | null> {
  switch (request.paymentMethod) {
    case 'wallet_connect':
      if (request.fromWallet === null) return walletOf(customer, paysOn.family);
      return requirePayoutAddress(deps, tenant, paysOn, request.fromWallet, 'fromWallet', 'payer');
    case 'wallet_transfer':
      if (request.fromWallet !== null)
        throw invalid('fromWallet must be absent for a wallet_transfer: anybody may send');
      return null;
    default:
      return unknownCase(request.paymentMethod, 'payment method');
  }
}

function walletOf(customer: Pick<CustomerDoc, '_id' | 'wallets'> | null, family: CreatePayment['family']): string {
  if (customer === null) throw invalid('fromWallet is required');
  const wallet = customer.wallets.find(({ chainFamily }) => chainFamily === family);
  if (wallet === undefined) throw invalid(`fromWallet is required: ${customer._id} has no ${family} wallet`);
  return wallet.address;
}
