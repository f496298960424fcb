import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Dispatched } from '../../engine/types.ts';
import { conflict, internalFault, notFound } from '../../errors/fault.ts';
import type { ActorDoc } from '../../store/documents.ts';

/**
 * The document after a caller's event. Otherwise throws 409 with the status that the event needs, 404, or 500 for a
 * quarantined actor.
 */
export function requireTaken(result: Dispatched, what: { readonly name: string; readonly needs: string }): ActorDoc {
  switch (result.kind) {
    case 'taken':
      return result.doc;
    case 'refused':
      throw conflict(`${title(result.doc)} is ${result.doc.status}; ${what.name} needs ${what.needs}`);
    case 'missing':
      throw notFound();
    case 'quarantined':
      throw internalFault(`${result.doc._id} is quarantined`);
    default:
      return unknownCase(result, 'result');
  }
}

function title({ kind }: ActorDoc): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
