import { z } from 'zod';

/** `{eventId}` in a path. */
export const eventParams = z.object({ eventId: z.string().describe('The event: `evt_…`.') });
