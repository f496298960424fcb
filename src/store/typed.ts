/**
 * The one place where something becomes a document of a collection by declaration: what the driver returns, and an initial
 * document that has been given its id. What is stored has passed a typed `insert`, `change` or `commit`; parsing it whole
 * at each read would cost more than the read. Throws TypeError for what has no string `_id`.
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
