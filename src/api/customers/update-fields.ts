import { z } from 'zod';
import type { UpdateCustomer } from '../../billing/customers/changes.ts';
import { invalid } from '../../errors/fault.ts';
import { fixed, text } from '../../http/input/fields.ts';
import { chainFamily } from '../../http/schemas.ts';
import { customerFields, withWalletAddress } from './fields.ts';

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
  id: fixed,
  merchantId: fixed,
  isSandbox: fixed,
  idempotencyKey: fixed,
  createdAt: fixed,
  updatedAt: fixed,
});

/** Throws 400 if nothing is to be updated. */
export function updateInput({
  wallets: sent,
  walletAddress,
  merchantReferenceId,
  email,
  phone,
  name,
}: z.output<typeof updateBody>): UpdateCustomer {
  if (sent === null && walletAddress !== undefined) throw invalid('walletAddress must be absent where wallets is null');
  const wallets = walletAddress === undefined ? sent : withWalletAddress(sent ?? [], walletAddress);
  const change: UpdateCustomer = {
    ...(wallets === undefined ? {} : { wallets }),
    ...(merchantReferenceId === undefined ? {} : { merchantReferenceId }),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    ...(name === undefined ? {} : { name }),
  };
  if (Object.keys(change).length === 0) throw invalid('body must have at least one field that can be updated');
  return change;
}
