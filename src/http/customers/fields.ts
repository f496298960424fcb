import { z } from 'zod';
import { text } from '../input/fields.ts';

/** `{customerId}` in a path. */
export const customerParams = z.object({ customerId: z.string() });

/** What a customer consists of (decisions, "Customers"). */
export const customerFields = {
  wallets: z.array(z.object({ chainFamily: z.enum(['evm', 'solana']), address: text(100) })).nullish(),
  merchantReferenceId: text(255).nullish(),
  email: text(254)
    .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address')
    .nullish(),
  phone: text(50).nullish(),
  name: text(200).nullish(),
};
