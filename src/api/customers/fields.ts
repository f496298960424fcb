import { z } from 'zod';
import type { UpdateCustomer } from '../../billing/customers/changes.ts';
import { invalid } from '../../errors/fault.ts';
import { allFixed, contactFields, given, invoiceFields, text, timeZoneField } from '../../http/input/fields.ts';
import { chainFamily } from '../../http/schemas.ts';
import { familyOfAddress, isSameAddress } from '../../model/addresses.ts';
import type { CustomerWallet } from '../../store/collections.ts';

/** `{customerId}` in a path. */
export const customerParams = z.object({ customerId: z.string().describe('The customer.') });

const customerWalletInput = z.object({
  chainFamily: chainFamily.describe('The kind of chains on which it pays.'),
  address: text(100).describe('An address of that family, not zero.'),
});

/** The fields of a customer (docs/rules.md, "Customers"). */
export const customerFields = {
  wallets: z
    .array(customerWalletInput)
    .nullish()
    .describe(
      'At most one per chain family. No other customer of this mode may have one of them. EVM addresses compare without regard to case. A wallet must be able to sign: on Solana no token account, mint, program or address off the curve.',
    ),
  walletAddress: text(100)
    .optional()
    .describe(
      'A short form of an entry of `wallets`; the form of the address gives the family. If `wallets` has that family too, both must be the same.',
    ),
  merchantReferenceId: text(255).nullish().describe("The merchant's own name for the customer."),
  ...contactFields,
  timeZone: timeZoneField
    .nullish()
    .describe('An IANA name: letters have its dates. A browser in which the customer signs replaces it.'),
  ...invoiceFields,
};

/**
 * `wallets` together with `walletAddress`. Throws 400 if that is not an address, or differs from the wallet of its
 * family.
 */
export function withWalletAddress<W extends { readonly chainFamily: string; readonly address: string | null }>(
  wallets: readonly W[],
  walletAddress: string | undefined,
): readonly (W | CustomerWallet)[] {
  if (walletAddress === undefined) return wallets;
  const chainFamily = familyOfAddress(walletAddress);
  if (chainFamily === null) {
    throw invalid(
      'walletAddress must be an EVM address (in mixed case with a valid EIP-55 checksum) or a Solana address',
    );
  }
  const other = wallets.find((wallet) => wallet.chainFamily === chainFamily);
  if (other === undefined) return [...wallets, { chainFamily, address: walletAddress }];
  if (other.address !== null && isSameAddress(chainFamily, other.address, walletAddress)) return wallets;
  throw invalid(`walletAddress must be the same as the ${chainFamily} address in wallets`);
}

/** The body of a PATCH: fields that can be updated, and known fields that cannot (docs/rules.md, "Errors"). */
export const updateBody = z.object({
  ...customerFields,
  wallets: z
    .array(
      z.object({
        chainFamily: chainFamily.describe('The family of the wallet.'),
        address: text(100).nullable().describe('The new wallet; `null` removes the present one.'),
      }),
    )
    .nullish()
    .describe('Merged per chain family; `null` removes all.'),
  ...allFixed('id', 'merchantId', 'isSandbox', 'idempotencyKey', 'createdAt', 'updatedAt'),
});

/** Throws 400 if nothing is to be updated. */
export function updateInput({ wallets: sent, walletAddress, ...fields }: z.output<typeof updateBody>): UpdateCustomer {
  if (sent === null && walletAddress !== undefined) throw invalid('walletAddress must be absent where wallets is null');
  const wallets = walletAddress === undefined ? sent : withWalletAddress(sent ?? [], walletAddress);
  const change: UpdateCustomer = given({ ...fields, wallets });
  if (Object.keys(change).length === 0) throw invalid('body must have at least one field that can be updated');
  return change;
}
