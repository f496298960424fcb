import { read } from '../../support/repository.ts';

/** A variable of the configuration. A name that ends with `_` is followed by the id of a chain. */
export interface Variable {
  readonly name: string;
  /** It may come from a file, in `NAME_FILE`. */
  readonly isSecret: boolean;
}

/** All variables of the configuration: a test compares docs/reference/environment.md with it. */
export function variables(): Variable[] {
  const page = read('docs/reference/environment.md');
  const [, service = ''] = page.split(/^## /m);
  return [...service.matchAll(/^\| `([A-Z_]+(?:_<chainId>)?)`( †)?/gm)].map(([, name = '', mark]) => ({
    name: name.replace('<chainId>', ''),
    isSecret: mark !== undefined,
  }));
}

/** True for a variable of the configuration, or `_FILE` of one that may be a secret. */
export function isVariable(name: string): boolean {
  return variables().some(({ name: known, isSecret }) =>
    new RegExp(`^${known}${known.endsWith('_') ? '\\d+' : ''}${isSecret ? '(?:_FILE)?' : ''}$`).test(name),
  );
}
