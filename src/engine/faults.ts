/**
 * The points at which a test may make a process die, fail or wait. In production the hook is `noFaults`. `npm run prove
 * -- crash` fails if no test run reaches a point.
 */
export const FAULT_POINTS = [
  'commit.before',
  'commit.row.before',
  'commit.row.after',
  'commit.after',
  'relay.effect.before',
  'relay.effect.after',
  'relay.ack.after',
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'keeper.stored.before',
  'keeper.stored.after',
  'reconciler.notify.before',
  'reconciler.notify.after',
  'delivery.posted.before',
  'delivery.posted.after',
  'delivery.stored.after',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

/** `detail` narrows a point, for example to the event or effect at hand. */
export type FaultHook = (point: FaultPoint, detail?: string) => Promise<void>;

export const noFaults: FaultHook = async () => {};

/** The action at the n-th arrival at a point. */
export interface FaultPlan {
  readonly point: FaultPoint;
  readonly detail: string | null;
  readonly hit: number;
  readonly action: 'kill' | 'throw' | 'delay';
}

/**
 * Reads `FAULTS`: comma-separated `point[/detail][@hit]=action`, such as `commit.after/charge.open@2=kill`.
 * Throws an Error that names a part without that form.
 */
export function parseFaultPlans(text: string): FaultPlan[] {
  return text.split(',').map((part) => {
    const match = /^([a-z.]+)(?:\/([a-z_.]+))?(?:@(\d+))?=(kill|throw|delay)$/.exec(part.trim());
    const point = FAULT_POINTS.find((name) => name === match?.[1]);
    const action = match?.[4];
    if (!point || (action !== 'kill' && action !== 'throw' && action !== 'delay')) {
      throw new Error(`FAULTS: "${part}" is not point[/detail][@hit]=kill|throw|delay with a declared point`);
    }
    return { point, detail: match?.[2] ?? null, hit: Number(match?.[3] ?? 1), action };
  });
}
