import { z } from 'zod';
import { logSchema, receiptSchema } from '../wire.ts';

/** A receipt with what is needed to say where in its block a share was paid. */
export const placedReceiptSchema = receiptSchema.extend({ logs: z.array(logSchema) });
export type PlacedReceipt = z.infer<typeof placedReceiptSchema>;
