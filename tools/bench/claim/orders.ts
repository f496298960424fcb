import { type ClaimAnswer, claimOrder } from './messages.ts';

/** What opens cycles in a process of its own. */
export interface Opener {
  /** Opens what falls due from now on; what it returns ends that, and resolves when nothing is under way. */
  start(): Promise<() => Promise<unknown>>;
  /** What went wrong since they were last taken out. */
  readonly troubles: string[];
}

/** Answers each `ClaimOrder` with a `ClaimAnswer`: starts at `work`, ends at `rest`. The process ends with whoever asks. */
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
    void answer(message).then((said) => process.send?.(said));
  });
  process.once('disconnect', () => process.exit());
}
