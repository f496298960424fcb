import { z } from 'zod';
import { text } from '../input/fields.ts';
import { chainFamily } from '../views/shared.ts';

/** `{customerId}` in a path. */
export const customerParams = z.object({ customerId: z.string().describe('The customer.') });

const customerWalletInput = z.object({
  chainFamily: chainFamily.describe('Of the chains on which it pays.'),
  address: text(100).describe('An address of that family, not zero.'),
});

/** What a customer consists of (docs/rules.md, "Customers"). */
export const customerFields = {
  wallets: z
    .array(customerWalletInput)
    .nullish()
    .describe(
      'At most one per chain family, none of which another customer of this mode has. EVM addresses compare without regard to case.',
    ),
  merchantReferenceId: text(255).nullish().describe("The merchant's own name for the customer."),
  email: text(254)
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .nullish()
    .describe('An e-mail address.'),
  phone: text(50).nullish().describe('As it is to be shown.'),
  name: text(200).nullish().describe('As it is to be shown.'),
};
