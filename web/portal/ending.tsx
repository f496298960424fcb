import { useState } from 'preact/hooks';
import type { PortalDetail } from '../../src/portal/wire.ts';
import { dateOf } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { endSubscription, keepSubscription } from './portal-api.ts';

export interface EndingProps {
  readonly detail: PortalDetail;
  readonly onChanged: (detail: PortalDetail) => void;
  readonly onError: (error: unknown) => void;
}

type How = 'at_period_end' | 'now' | 'keep';

/** Ends a subscription, now or at the end of its period, and takes a scheduled end back. */
export function Ending({ detail, onChanged, onError }: EndingProps) {
  const { id, status, cancelAt, currentPeriodEnd, hasEnd, offerName } = detail;
  const [asks, setAsks] = useState<'at_period_end' | 'now' | null>(null);
  const [doing, setDoing] = useState<How | null>(null);
  const act = async (how: How) => {
    setDoing(how);
    try {
      onChanged(how === 'keep' ? await keepSubscription(id) : await endSubscription(id, how === 'at_period_end'));
    } catch (error) {
      onError(error);
    } finally {
      setDoing(null);
      setAsks(null);
    }
  };
  if (status === 'canceled') return null;
  const end = hasEnd && currentPeriodEnd !== null ? dateOf(currentPeriodEnd) : null;
  return (
    <section class="stack" aria-labelledby="ending-title" data-part="end">
      <h2 id="ending-title">End it</h2>
      {cancelAt !== null && <p>It ends on {dateOf(cancelAt)}. Until then you have what you have paid for.</p>}
      <div class="row">
        {cancelAt !== null && (
          <Button variant="primary" busy={doing === 'keep'} disabled={doing !== null} onClick={() => void act('keep')}>
            Keep the subscription
          </Button>
        )}
        {cancelAt === null && end !== null && (
          <Button disabled={doing !== null} onClick={() => setAsks('at_period_end')}>
            End on {end}
          </Button>
        )}
        <Button variant="danger" disabled={doing !== null} onClick={() => setAsks('now')}>
          End now
        </Button>
      </div>
      {asks !== null && (
        <Dialog title={`End ${offerName}?`} onClose={() => setAsks(null)}>
          <p>{consequenceOf(asks, end)}</p>
          <div class="row">
            <Button variant="danger" busy={doing === asks} onClick={() => void act(asks)}>
              {asks === 'now' ? 'End it now' : `End it on ${end}`}
            </Button>
            <Button disabled={doing !== null} onClick={() => setAsks(null)}>
              Go back
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

function consequenceOf(how: 'at_period_end' | 'now', end: string | null): string {
  if (how === 'at_period_end')
    return `No further charge is made. It goes on until ${end}, and you can take this back until then.`;
  const rest = end === null ? '' : ` The time until ${end} is lost, and the service returns no money for it.`;
  return `It ends at once, and no further charge begins.${rest} This cannot be taken back.`;
}
