import { useState } from 'preact/hooks';
import type { Overview } from '../../../src/dashboard/wire.ts';
import { money } from '../../ui/decimal.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { hrefOf, MODES, type Mode } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { Step, useSteps } from './steps.tsx';

/** What needs the owner now, the steps until everything works, and the figures of the last 30 days. */
export function HomePage({ mode }: { readonly mode: Mode }) {
  const { overview, steps, failed } = useSteps(mode);
  const isOpen = useStaysOpen(steps.map(({ isDone }) => isDone));
  const hasSold = overview?.figures.some(({ count }) => count > 0) ?? false;
  return (
    <>
      <PageTitle title="Home" />
      {failed !== null && <LoadFailed loaded={failed} />}
      {overview?.alerts.map(({ name, tone, title, text, page, query, link }) => (
        <div key={name} data-alert={name}>
          <Notice tone={tone} title={title} isInRegion>
            {text} <a href={hrefOf(mode, page, null, query)}>{link}</a>
          </Notice>
        </div>
      ))}
      {overview !== null && hasSold && <Figures mode={mode} figures={overview.figures} />}
      {isOpen && (
        <section class="stack" aria-labelledby="first-steps">
          <h2 id="first-steps">{mode === 'live' ? 'Going live' : 'From here to the first charge'}</h2>
          <ol class="plain-list stack">
            {steps.map((step) => (
              <Step key={step.name} {...step} />
            ))}
          </ol>
          {MODES.filter((each) => each !== mode && mode === 'test').map((live) => (
            <p key={live}>
              Then <a href={hrefOf(live, 'home')}>go live</a>: the home of live mode lists what that needs.
            </p>
          ))}
        </section>
      )}
    </>
  );
}

/** True while a step is to do, and until the page is left: the answer of the last step must stay in view. */
function useStaysOpen(done: readonly (boolean | null)[]): boolean {
  const [wasOpen, setOpen] = useState(false);
  const isOpen = !done.includes(null) && done.includes(false);
  if (isOpen && !wasOpen) setOpen(true);
  return isOpen || wasOpen;
}

/** Each with the list that it counts. */
function Figures({ mode, figures }: { readonly mode: Mode } & Pick<Overview, 'figures'>) {
  return (
    <Panel title="The last 30 days" beside={<a href={hrefOf(mode, 'revenue')}>Revenue</a>}>
      <dl class="grid figures">
        {figures.map(({ name, amounts, count, isBad, page, query }) => (
          <div key={name} data-bad={isBad}>
            <dt class="small soft">{name}</dt>
            <dd translate={false}>
              <a href={hrefOf(mode, page, null, query)}>
                {amounts?.map(({ ticker, amount }) => money(amount, ticker)).join(', ') || count}
              </a>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
