/**
 * The only function that declares an object to be a document of a collection: results of the driver, and a new document
 * with its id. Stored data has passed a typed `insert`, `change` or `commit`; to parse it at each read would cost more
 * than the read. Throws TypeError without a string `_id`.
 */
export function typed<T extends { readonly _id: string }>(doc: object): T {
  if (isDocument<T>(doc)) return doc;
  throw new TypeError(
    `a document with a string _id was expected, not one with the fields ${Object.keys(doc).join(', ')}`,
  );
}

function isDocument<T extends { readonly _id: string }>(doc: object): doc is T {
  return '_id' in doc && typeof doc._id === 'string';
}
