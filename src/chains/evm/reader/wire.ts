import { z } from 'zod';
import { logSchema, receiptSchema } from '../wire.ts';

/** A receipt with the fields that show where in its block a share was paid. */
export const minedReceiptSchema = receiptSchema.extend({ logs: z.array(logSchema) });
export type MinedReceipt = z.infer<typeof minedReceiptSchema>;
