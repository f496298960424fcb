import { useState } from 'preact/hooks';
import { say } from '../i18n/say.ts';
import { chargeDateOf, dateOf } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import type { ChangeProps } from './ending.tsx';

/** Pauses a subscription, where the merchant lets its payer, and resumes it. */
export function Pause(props: ChangeProps) {
  const { isBusy, change } = props;
  const { pause, pausesPeriodEnd } = props.detail;
  if (pause === null && pausesPeriodEnd === null) return null;
  return (
    <section class="stack" aria-labelledby="pause-title" data-part="pause">
      <h2 id="pause-title">{say('pause.title')}</h2>
      {pause === null && <PauseForm {...props} />}
      {pause?.by === 'merchant' && <p>{say('pause.by_merchant')}</p>}
      {pause?.by === 'payer' && (
        <>
          <p>{pause.until === null ? say('pause.open') : say('pause.until', { date: dateOf(pause.until) })}</p>
          <p data-part="resume-effect">
            {pause.dueIfResumed === null
              ? say('pause.resume_now')
              : say('pause.resume_on', { date: chargeDateOf(pause.dueIfResumed) })}
          </p>
          <div>
            <Button variant="primary" busy={isBusy} onClick={() => void change('/resume')}>
              {say('pause.resume')}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function PauseForm({ detail, isBusy, change }: ChangeProps) {
  const { currentPeriodEnd, pausesPeriodEnd } = detail;
  const [date, setDate] = useState('');
  const pause = () => {
    // The chosen day begins with the reader's midnight.
    const until = date === '' ? null : new Date(`${date}T00:00`).toISOString();
    return change('/pause', { until });
  };
  return (
    <>
      <p>
        {pausesPeriodEnd === 'keeps' && currentPeriodEnd !== null
          ? say('pause.keeps', { date: dateOf(currentPeriodEnd) })
          : say('pause.moves')}
      </p>
      <Field
        {...{ label: say('pause.date'), name: 'until', type: 'date', value: date, onInput: setDate }}
        hint={say('pause.date_hint')}
      />
      <div>
        <Button busy={isBusy} onClick={() => void pause()}>
          {say('pause.pause')}
        </Button>
      </div>
    </>
  );
}
