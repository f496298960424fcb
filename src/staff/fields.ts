import { z } from 'zod';
import { name } from '../http/input/fields.ts';

/** The reason of staff: every change needs one, and the journal keeps it. */
export const reason = name(500);

export const ofMerchant = z.object({ merchantId: z.string() });

export const environment = z.enum(['test', 'live']);
