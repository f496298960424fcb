import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { type Question, useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useRole } from '../access/session.ts';
import { post } from '../dashboard-api.ts';
import type { Advanced, Charged, PayerChange, SubscriptionStatusView } from '../merchant-api.ts';
import { hrefOf, type Mode } from '../route.ts';
import { momentText } from '../shared/facts.tsx';
import { chargedText } from '../shared/reasons.ts';
import { statusText } from '../shared/state-badges.tsx';
import {
  AdvanceSubscription,
  CancelSubscription,
  ChangeQuantity,
  MigrateSubscription,
  type SubscriptionActionsProps,
} from './subscription-dialogs.tsx';

export function SubscriptionActions(props: SubscriptionActionsProps) {
  const { mode, view, reload } = props;
  const { isBusy, problem, act } = useAction();
  const { ask, dialog } = useQuestion();
  /** What an action has brought, beside a new state. */
  const [result, setResult] = useState<ComponentChild>(null);
  const [open, setOpen] = useState<'cancel' | 'migrate' | 'quantity' | 'advance' | null>(null);
  const mayAct = useRole('member');
  const isLive = view.status !== 'canceled';
  const start = async (run: () => Promise<unknown>) => {
    setResult(null);
    await run();
    reload();
  };
  const askTo = (question: Omit<Question, 'run'>, run: () => Promise<unknown>) =>
    ask({ ...question, run: () => start(run) });
  const send = (action: 'resume' | 'retry') => post(`/${mode}/subscriptions/${view.id}/${action}`);
  const charge = async () => {
    const charged = await post<Charged>(`/${mode}/sandbox/charge`, { subscriptionId: view.id });
    setResult(<ChargedNotice mode={mode} charged={charged} />);
  };
  const changePayer = async () => {
    const { authorizationUrl } = await post<PayerChange>(`/${mode}/subscriptions/${view.id}/change-payer`);
    setResult(
      <LinkNotice url={authorizationUrl} effect="The first wallet that signs there within a day pays from then on." />,
    );
  };
  const close = () => setOpen(null);
  const again = (
    <>
      {canRetry(view) && <Button onClick={() => askTo(RETRY, () => send('retry'))}>Retry</Button>}
      {canResume(view) && <Button onClick={() => askTo(RESUME, () => send('resume'))}>Resume</Button>}
    </>
  );
  return (
    <>
      <div class="row">
        {mayAct && isLive && (
          <>
            {mode === 'live' && again}
            <Button onClick={() => setOpen('migrate')}>Change the price</Button>
            {view.quantity !== null && <Button onClick={() => setOpen('quantity')}>Change the quantity</Button>}
            <Button busy={isBusy} onClick={() => void act(() => start(changePayer))}>
              Let another wallet pay
            </Button>
            <Button variant="danger" onClick={() => setOpen('cancel')}>
              Cancel
            </Button>
          </>
        )}
        <Button variant="quiet" onClick={reload}>
          Refresh
        </Button>
        {mayAct && isLive && mode === 'test' && (
          <details class="test-tools">
            <summary>Test tools</summary>
            <div class="row">
              <Button onClick={() => askTo(CHARGE, charge)}>Charge now</Button>
              <Button onClick={() => setOpen('advance')}>Advance the clock</Button>
              {again}
            </div>
          </details>
        )}
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{result}</StatusRegion>
      {dialog}
      {open === 'cancel' && <CancelSubscription {...props} onClose={close} />}
      {open === 'quantity' && <ChangeQuantity {...props} onClose={close} />}
      {open === 'migrate' && (
        <MigrateSubscription
          {...props}
          onLink={(url) => setResult(<LinkNotice url={url} effect={PRICE_CHANGES} />)}
          onClose={close}
        />
      )}
      {open === 'advance' && (
        <AdvanceSubscription
          {...props}
          onAdvanced={(advanced) => setResult(<Steps advanced={advanced} />)}
          onClose={close}
        />
      )}
    </>
  );
}

const STEP_OUTCOMES: { readonly [outcome: string]: string } = {
  settled: 'the charge that was due settled',
  failed: 'the charge that was due failed',
  pending: 'the charge that was due is on its way',
};

const CHARGE = {
  title: 'Charge this subscription now?',
  action: 'Charge now',
  text: 'The sandbox makes the charge of the next period at once, due or not.',
};

const RETRY = {
  title: 'Try the charge again?',
  action: 'Try again now',
  text: 'The payer is charged now if the wallet has approved and holds enough.',
};

const RESUME = {
  title: 'Resume the subscription?',
  action: 'Resume it',
  text: 'A planned end is taken back. If a charge is due, the payer is charged now.',
};

function canRetry({ status, blockedReason }: SubscriptionStatusView): boolean {
  return status === 'past_due' || blockedReason !== null;
}

function canResume({ status, cancelAt }: SubscriptionStatusView): boolean {
  return cancelAt !== null || status === 'past_due' || status === 'pending';
}

function ChargedNotice({ mode, charged }: { readonly mode: Mode; readonly charged: Charged }) {
  const { outcome, paymentId } = charged;
  return (
    <Notice tone={outcome === 'settled' ? 'good' : 'warn'} title={chargedText(charged)} isInRegion>
      {paymentId !== undefined && <a href={hrefOf(mode, 'payments', paymentId)}>The payment</a>}
    </Notice>
  );
}

const PRICE_CHANGES = 'The price changes once the payer has authorized it there.';

function LinkNotice({ url, effect }: { readonly url: string; readonly effect: string }) {
  return (
    <Notice tone="good" title="Send this link to the payer" isInRegion>
      <p data-part="authorization-link">
        <Copyable what="authorization link" text={url} />
      </p>
      <p>{effect} The link is shown only now.</p>
    </Notice>
  );
}

function Steps({ advanced: { now, complete, steps } }: { readonly advanced: Advanced }) {
  return (
    <Notice tone="good" title={`Its clock shows ${momentText(now)}`} isInRegion>
      {steps.length === 0 && <p>Nothing was due.</p>}
      <ul class="plain-list">
        {steps.map(({ at, event, to, outcome }) => (
          <li key={`${at} ${event}`}>
            {momentText(at)}: {outcome === undefined ? 'a period ended' : STEP_OUTCOMES[outcome]}. Now it is{' '}
            {statusText(to)}.
          </li>
        ))}
      </ul>
      {!complete && <p>There is more to do. Advance again.</p>}
    </Notice>
  );
}
