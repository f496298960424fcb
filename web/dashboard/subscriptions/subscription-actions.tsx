import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ActionDialog, type Question, useQuestion } from '../../ui/action-dialog.tsx';
import { statusText } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post, remove, useLoad, useRole } from '../dashboard-api.ts';
import type {
  Advanced,
  Charged,
  Coupons,
  Migration,
  Offer,
  PayerChange,
  Subscription,
  SubscriptionStatusView,
} from '../merchant-api.ts';
import { wholeOrNull } from '../offers/price-form.tsx';
import { hrefOf, type Mode } from '../route.ts';
import { momentText } from '../shared/moment.tsx';
import { chargedText } from '../shared/reasons.ts';
import { useChains } from '../shared/use-chains.ts';
import { PriceChoice, usePriceChoice } from './price-choice.tsx';
import {
  ADVANCE,
  CHARGE,
  cancelingOf,
  discountOf,
  goalOf,
  momentOfDay,
  pausingOf,
  quantityOf,
  REMOVE_DISCOUNT,
  RESUME,
  RETRY,
  TAKE_BACK,
  UNPAUSE,
} from './questions.ts';

export interface SubscriptionActionsProps extends Omit<MigrateSubscriptionProps, 'onLink' | 'onClose'> {
  readonly reload: () => void;
}

export function SubscriptionActions({ reload, ...shown }: SubscriptionActionsProps) {
  const { mode, view } = shown;
  const { isBusy, problem, act } = useAction();
  /** What an action has brought, beside a new state. */
  const [result, setResult] = useState<ComponentChild>(null);
  const [isMigrating, setMigrating] = useState(false);
  const mayAct = useRole('member');
  const isLive = view.status !== 'canceled';
  const start = async (run: () => Promise<unknown>) => {
    setResult(null);
    await run();
    reload();
  };
  const { dialog, ...ask } = useQuestions(shown, { start, setResult, reload });
  const showLink = (url: string, effect: string) => setResult(<LinkNotice url={url} effect={effect} />);
  const changePayer = async () => {
    const { authorizationUrl } = await post<PayerChange>(`/${mode}/subscriptions/${view.id}/change-payer`);
    showLink(authorizationUrl, 'The first wallet that signs there within a day pays from then on.');
  };
  const again = (
    <>
      {canRetry(view) && <Button onClick={ask.retry}>Retry</Button>}
      {canResume(view) && <Button onClick={ask.resume}>Resume</Button>}
    </>
  );
  return (
    <>
      <div class="row">
        {mayAct && isLive && (
          <>
            {(mode === 'live' || view.isPaused) && again}
            {view.model !== 'metered' && <Button onClick={() => setMigrating(true)}>Change the price</Button>}
            {view.pendingChange !== null && <Button onClick={ask.takeChangeBack}>Take the change back</Button>}
            {view.status === 'active' && view.cancelAt === null && (
              <Button onClick={ask.pause}>{view.isPaused ? 'Change the pause' : 'Pause'}</Button>
            )}
            <DiscountButtons {...shown} set={ask.setDiscount} removeIt={ask.removeDiscount} />
            {view.quantity !== null && <Button onClick={ask.changeQuantity}>Change the quantity</Button>}
            <Button busy={isBusy} onClick={() => void act(() => start(changePayer))}>
              Let another wallet pay
            </Button>
            <Button variant="danger" onClick={ask.cancel}>
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
              <Button onClick={ask.charge}>Charge now</Button>
              <Button onClick={ask.advance}>Advance the clock</Button>
              {!view.isPaused && again}
            </div>
          </details>
        )}
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{result}</StatusRegion>
      {dialog}
      {isMigrating && (
        <MigrateSubscription
          {...shown}
          onLink={(url) => {
            showLink(url, 'The price changes once the payer has authorized it there.');
            reload();
          }}
          onClose={() => setMigrating(false)}
        />
      )}
    </>
  );
}

type Shown = Omit<SubscriptionActionsProps, 'reload'>;

interface Acting {
  /** Runs it in place of the last result, and reloads. */
  readonly start: (run: () => Promise<unknown>) => Promise<void>;
  readonly setResult: (result: ComponentChild) => void;
  readonly reload: () => void;
}

/** The actions that ask first, and their dialog. */
function useQuestions({ mode, view, terms, offer }: Shown, { start, setResult, reload }: Acting) {
  const { ask, askFor, dialog } = useQuestion();
  const path = `/${mode}/subscriptions/${view.id}` as const;
  const askTo = (question: Omit<Question, 'run'>, run: () => Promise<unknown>) =>
    ask({ ...question, run: () => start(run) });
  const option = offer?.pricing.find(({ id }) => id === terms?.offerPriceId);
  const advance = async (goal: string, days: string) => {
    const body = { subscriptionId: view.id, ...goalOf(goal, days) };
    setResult(<Steps advanced={await post<Advanced>(`/${mode}/sandbox/advance`, body)} />);
  };
  const charge = async () => {
    const charged = await post<Charged>(`/${mode}/sandbox/charge`, { subscriptionId: view.id });
    setResult(<ChargedNotice mode={mode} charged={charged} />);
  };
  return {
    dialog,
    retry: () => askTo(RETRY, () => post(`${path}/retry`)),
    resume: () => askTo(view.isPaused ? UNPAUSE : RESUME, () => post(`${path}/resume`)),
    charge: () => askTo(CHARGE, charge),
    advance: () => askFor({ ...ADVANCE, run: ({ goal, days }) => start(() => advance(goal, days)) }),
    changeQuantity: () =>
      askFor({
        ...quantityOf(view, option),
        run: ({ quantity }) => post(`${path}/quantity`, { quantity: wholeOrNull(quantity) }).then(reload),
      }),
    pause: () =>
      askFor({
        ...pausingOf(view, offer),
        done: 'It is paused.',
        run: ({ until }) => post(`${path}/pause`, { until: until ? momentOfDay(until) : null }).then(reload),
      }),
    setDiscount: (coupons: Coupons) =>
      askFor({ ...discountOf(coupons), run: (body) => post(`${path}/discount`, body).then(reload) }),
    removeDiscount: () => askTo(REMOVE_DISCOUNT, () => remove(`${path}/discount`)),
    takeChangeBack: () => askTo(TAKE_BACK, () => remove(`${path}/migrate`)),
    cancel: () =>
      askFor({
        ...cancelingOf(view),
        done: 'Done.',
        run: ({ when }) => post(`${path}/cancel`, { atPeriodEnd: when === 'end' }).then(reload),
      }),
  };
}

interface DiscountButtonsProps extends Shown {
  readonly set: (coupons: Coupons) => void;
  readonly removeIt: () => void;
}

function DiscountButtons({ mode, view, set, removeIt }: DiscountButtonsProps) {
  const { value } = useLoad<Coupons>(`/${mode}/coupons?active=true&limit=100`);
  return (
    <>
      {value !== null && value.coupons.length > 0 && <Button onClick={() => set(value)}>Set a discount</Button>}
      {view.discount !== null && <Button onClick={removeIt}>Take the discount off</Button>}
    </>
  );
}

const STEP_OUTCOMES: { readonly [outcome: string]: string } = {
  settled: 'the charge that was due settled',
  failed: 'the charge that was due failed',
  pending: 'the charge that was due is on its way',
};

function canRetry({ status, blockedReason }: SubscriptionStatusView): boolean {
  return status === 'past_due' || blockedReason !== null;
}

function canResume({ status, cancelAt, isPaused }: SubscriptionStatusView): boolean {
  return isPaused || cancelAt !== null || status === 'past_due' || status === 'pending';
}

function ChargedNotice({ mode, charged }: { readonly mode: Mode; readonly charged: Charged }) {
  const { outcome, paymentId } = charged;
  return (
    <Notice tone={outcome === 'settled' ? 'good' : 'warn'} title={chargedText(charged)} isInRegion>
      {paymentId !== undefined && <a href={hrefOf(mode, 'payments', paymentId)}>The payment</a>}
    </Notice>
  );
}

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

interface MigrateSubscriptionProps {
  readonly mode: Mode;
  readonly view: SubscriptionStatusView;
  readonly terms: Subscription | null;
  readonly offer: Offer | null;
  readonly onLink: (url: string) => void;
  readonly onClose: () => void;
}

const BEGINS = Object.entries({
  period_end: 'With the next period',
  credit: 'Once it is authorized, with a credit for unused time',
  now: 'Once it is authorized, without a credit',
});

/** The payer has to authorize the new price at a link. */
function MigrateSubscription({ mode, view, terms, offer, onLink, onClose }: MigrateSubscriptionProps) {
  const chains = useChains(mode);
  const prices =
    offer?.pricing.filter(
      ({ id, active, billing }) => active && billing.type === 'recurring' && id !== terms?.offerPriceId,
    ) ?? [];
  const choice = usePriceChoice(prices, view.tokenKey);
  const [begin, setBegin] = useState('period_end');
  const migrate = async () => {
    if (choice.chosen === null) throw new Error('Add another recurring price to the offer first');
    const rule = begin === 'period_end' ? {} : { when: 'now', ...(begin === 'credit' && { proration: 'credit' }) };
    const body = { ...choice.chosen, ...rule };
    onLink((await post<Migration>(`/${mode}/subscriptions/${view.id}/migrate`, body)).authorizationUrl);
  };
  return (
    <ActionDialog title="Change the price" action="Make the link" run={migrate} onClose={onClose}>
      <p>The subscription keeps its present price until the payer authorizes the new one at a link.</p>
      <PriceChoice choice={choice} chains={chains}>
        The offer has no other recurring price. Add one on its page.
      </PriceChoice>
      {view.status === 'active' && <Select label="It begins" value={begin} onChange={setBegin} options={BEGINS} />}
    </ActionDialog>
  );
}
