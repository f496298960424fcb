import { type ClaimAnswer, claimOrder } from './messages.ts';

/** A part that opens cycles in its own process. */
export interface Opener {
  /** Opens cycles that fall due from now on. The returned function stops it, and resolves when no work is under way. */
  start(): Promise<() => Promise<unknown>>;
  /** Errors since they were last taken out. */
  readonly troubles: string[];
}

/** Answers each `ClaimOrder` with a `ClaimAnswer`: starts at `work`, stops at `rest`. The process ends with its parent. */
export function answerOrders(opening: Promise<Opener>): void {
  let stop: (() => Promise<unknown>) | null = null;
  const answer = async (message: unknown): Promise<ClaimAnswer> => {
    const { type } = claimOrder.parse(message);
    const { start, troubles } = await opening;
    if (type === 'work') {
      stop = await start();
      return { type: 'working', troubles: [] };
    }
    await stop?.();
    stop = null;
    return { type: 'resting', troubles: troubles.splice(0) };
  };
  process.on('message', (message) => {
    void answer(message).then((reply) => process.send?.(reply));
  });
  process.once('disconnect', () => process.exit());
}
