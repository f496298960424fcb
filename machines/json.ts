/** A value that JSON and BSON both keep as it is: what a snapshot, an event or an effect may consist of. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };
