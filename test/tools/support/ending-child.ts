import { serve } from '../../../tools/lib/child.ts';

/** Repeats its argument, fails, does nothing, or ends without an answer. */
function open([argument = '']: readonly string[]) {
  return {
    repeat: (times: number) => Array.from({ length: times }, () => argument),
    fail: () => {
      throw new Error('it cannot be done');
    },
    nothing: () => undefined,
    end: () => process.exit(3),
  };
}
export type EndingChild = typeof open;

serve(open);
