import { z } from 'zod';

/** `{subscriptionId}` in a path. */
export const subscriptionParams = z.object({ subscriptionId: z.string().describe('The subscription.') });
