import type { z } from 'zod';

/** Compiles only where an answer of this schema can be read as that type: no field is missing, or of another type. */
export type ReadAs<Read, Schema extends z.ZodType<Read>> = z.output<Schema>;
