import type { Sender } from '../../engine/step.ts';
import { troubleOf } from '../../engine/trouble.ts';
import type { Dispatched, EffectItem, EffectResult } from '../../engine/types.ts';

/** The message that an effect carries to another actor. */
export function senderOf(item: EffectItem): Sender {
  return { id: item.source.id, mark: item.mark };
}

/** What became of an effect that is one message to one actor. A receiver in quarantine is waited for. */
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
    default: {
      const never: never = result;
      throw new Error(`unknown result ${String(never)}`);
    }
  }
}

/** One result per item from work that concerns each alone; what throws is that item's trouble. */
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
