import { z } from 'zod';
import { name } from '../http/input/fields.ts';

/** Why staff do it: every change needs one, and the journal keeps it. */
export const reason = name(500);

/** Of the path. */
export const ofMerchant = z.object({ merchantId: z.string() });

export const environment = z.enum(['test', 'live']);
