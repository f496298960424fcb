import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Sender } from '../../engine/step.ts';
import { type Dispatched, type EffectItem, type EffectResult, troubleOf } from '../../engine/types.ts';

/** The mark of the message that an effect sends to another actor. */
export function senderOf(item: EffectItem): Sender {
  return { id: item.source.id, mark: item.mark };
}

/** The result of an effect that sends one message to one actor. It is held while the receiver is quarantined. */
export function delivered(result: Dispatched | undefined, to: string): EffectResult {
  switch (result?.kind) {
    case 'taken':
      return 'done';
    case 'refused':
      return { failed: new Error(`${to} in ${JSON.stringify(result.doc.value)} refuses a message it must take`) };
    case 'quarantined':
      return { held: `${to} is quarantined` };
    case 'missing':
    case undefined:
      return { failed: new Error(`${to} does not exist`) };
    default:
      return unknownCase(result, 'result');
  }
}

/** Runs items independently, one result each; an error concerns its own item only. */
export async function each<I>(items: readonly I[], run: (item: I) => Promise<EffectResult>): Promise<EffectResult[]> {
  return Promise.all(
    items.map(async (item) => {
      try {
        return await run(item);
      } catch (error) {
        return troubleOf(error);
      }
    }),
  );
}
