import { useState } from 'preact/hooks';
import type { PortalDetail } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import { dateOf } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import { money } from '../ui/decimal.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isLess, restOf, sumOf } from '../ui/sum.ts';

export interface ChangeProps {
  readonly detail: PortalDetail;
  readonly isBusy: boolean;
  /** Posts to a path below the subscription's, and loads the page again. False: the service refused it. */
  readonly change: (path: `/${string}`, body?: object) => Promise<boolean>;
}

/** Ends a subscription, now or at the end of its period, and takes a scheduled end back. */
export function Ending({ detail, isBusy, change }: ChangeProps) {
  const { status, cancelAt, currentPeriodEnd, hasEnd, offerName, pause } = detail;
  const [asks, setAsks] = useState<'at_period_end' | 'now' | null>(null);
  const end = async () => {
    await change('/cancel', { atPeriodEnd: asks === 'at_period_end' });
    setAsks(null);
  };
  if (status === 'canceled') return null;
  // The end ends the pause, too.
  const endsAt = pause?.dueIfResumed ?? currentPeriodEnd;
  const day = hasEnd && endsAt !== null ? dateOf(endsAt) : null;
  return (
    <section class="stack" aria-labelledby="ending-title" data-part="end">
      <h2 id="ending-title">{say('portal.end_title')}</h2>
      {cancelAt !== null && (
        <p>
          {say(detail.usage === null ? 'portal.end_scheduled' : 'portal.end_later_used', { date: dateOf(cancelAt) })}
        </p>
      )}
      <div class="row">
        {cancelAt !== null && (
          <Button variant="primary" busy={isBusy} onClick={() => void change('/resume', {})}>
            {say('portal.keep')}
          </Button>
        )}
        {cancelAt === null && day !== null && (
          <Button disabled={isBusy} onClick={() => setAsks('at_period_end')}>
            {say('portal.end_on', { date: day })}
          </Button>
        )}
        <Button variant="danger" disabled={isBusy} onClick={() => setAsks('now')}>
          {say('portal.end_now')}
        </Button>
      </div>
      {asks !== null && (
        <Dialog title={say('portal.end_question', { offer: offerName })} onClose={() => setAsks(null)}>
          <p>{consequenceOf(asks, day, detail)}</p>
          <div class="row">
            <Button variant="danger" busy={isBusy} onClick={() => void end()}>
              {asks === 'now' ? say('portal.end_it_now') : say('portal.end_it_on', { date: day ?? '' })}
            </Button>
            <Button disabled={isBusy} onClick={() => setAsks(null)}>
              {say('portal.go_back')}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

function consequenceOf(how: 'at_period_end' | 'now', end: string | null, detail: PortalDetail): string {
  const { usage, ticker, lastChargeAt } = detail;
  if (how === 'at_period_end')
    return say(usage === null ? 'portal.end_later_text' : 'portal.end_later_used', { date: end ?? '' });
  const charge = usage && restOf(sumOf([usage.amount, usage.carriedAmount]), [usage.unchargedAmount]);
  if (charge !== null && isLess('0', charge)) {
    const amount = money(charge, ticker);
    return lastChargeAt === null
      ? say('portal.end_now_used', { amount })
      : say('portal.end_now_used_later', { amount, date: dateOf(lastChargeAt) });
  }
  return end === null ? say('portal.end_now_text') : say('portal.end_now_lost', { date: end });
}
