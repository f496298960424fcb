import { useState } from 'preact/hooks';
import { say } from '../i18n/say.ts';
import { chargeDateOf, dateOf } from '../pay/words.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import type { EndingProps } from './ending.tsx';
import { pathOf, post } from './portal-api.ts';

/** Pauses a subscription, where the merchant lets its payer, and resumes it. */
export function Pause(props: EndingProps) {
  const { detail, action, onChanged } = props;
  const { id, pause, pausesPeriodEnd } = detail;
  if (pause === null && pausesPeriodEnd === null) return null;
  const resume = async () => {
    if (await action.act(() => post(`${pathOf(id)}/resume`))) onChanged();
  };
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
            <Button variant="primary" busy={action.isBusy} onClick={() => void resume()}>
              {say('pause.resume')}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

function PauseForm({ detail, action: { isBusy, act }, onChanged }: EndingProps) {
  const { id, currentPeriodEnd, pausesPeriodEnd } = detail;
  const [date, setDate] = useState('');
  const pause = async () => {
    // The chosen day begins with the reader's midnight.
    const until = date === '' ? null : new Date(`${date}T00:00`).toISOString();
    if (await act(() => post(`${pathOf(id)}/pause`, { until }))) onChanged();
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
