import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { ActionDialog, type Question, useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { statusText } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useRole } from '../access/session.ts';
import { post, remove, useLoad } from '../dashboard-api.ts';
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
import { wholeOrNull, wrongWhole } from '../offers/price-form.tsx';
import { hrefOf, type Mode } from '../route.ts';
import { momentText } from '../shared/moment.tsx';
import { chargedText } from '../shared/reasons.ts';
import { useChains } from '../shared/use-chains.ts';
import { PriceChoice, usePriceChoice } from './price-choice.tsx';

export interface SubscriptionActionsProps extends Omit<MigrateSubscriptionProps, 'onLink' | 'onClose'> {
  readonly reload: () => void;
}

export function SubscriptionActions({ reload, ...shown }: SubscriptionActionsProps) {
  const { mode, view } = shown;
  const { isBusy, problem, act } = useAction();
  const { ask, askFor, dialog } = useQuestion();
  /** What an action has brought, beside a new state. */
  const [result, setResult] = useState<ComponentChild>(null);
  const [isMigrating, setMigrating] = useState(false);
  const mayAct = useRole('member');
  const isLive = view.status !== 'canceled';
  const coupons = useLoad<Coupons>(mayAct && isLive ? `/${mode}/coupons?active=true&limit=100` : null);
  const hasCoupons = coupons.value !== null && coupons.value.coupons.length > 0;
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
  const showLink = (url: string, effect: string) => setResult(<LinkNotice url={url} effect={effect} />);
  const changePayer = async () => {
    const { authorizationUrl } = await post<PayerChange>(`/${mode}/subscriptions/${view.id}/change-payer`);
    showLink(authorizationUrl, 'The first wallet that signs there within a day pays from then on.');
  };
  const advance = () =>
    askFor({
      ...ADVANCE,
      run: ({ goal, days }) =>
        start(async () => {
          const body = { subscriptionId: view.id, ...goalOf(goal, days) };
          setResult(<Steps advanced={await post<Advanced>(`/${mode}/sandbox/advance`, body)} />);
        }),
    });
  const option = shown.offer?.pricing.find(({ id }) => id === shown.terms?.offerPriceId);
  const range = option && `From ${option.minQuantity} to ${option.maxQuantity}. Now ${view.quantity}.`;
  // The payer has signed for the most.
  const changeQuantity = () =>
    askFor({
      title: 'Change the quantity',
      action: 'Change it',
      text: 'It counts from the next charge on. What is paid stays as it is, and the payer does not sign again.',
      fields: [
        { name: 'quantity', label: 'Quantity', inputMode: 'numeric', required: true, check: wrongWhole, hint: range },
      ],
      first: { quantity: `${view.quantity ?? ''}` },
      done: 'The next charge is for the new quantity.',
      run: ({ quantity }) =>
        post(`/${mode}/subscriptions/${view.id}/quantity`, { quantity: wholeOrNull(quantity) }).then(reload),
    });
  const pause = () =>
    askFor({
      ...pausingOf(view, shown.offer),
      done: 'It is paused.',
      run: ({ until }) =>
        post(`/${mode}/subscriptions/${view.id}/pause`, { until: until ? momentOfDay(until) : null }).then(reload),
    });
  const discountPath = `/${mode}/subscriptions/${view.id}/discount` as const;
  const setDiscount = () =>
    askFor({
      title: 'Set a discount',
      action: 'Set it',
      text: 'It counts from the next charge on, in place of any other. The payer does not sign again.',
      fields: [
        {
          name: 'couponId',
          label: 'Coupon',
          options: (coupons.value?.coupons ?? []).map(({ id, code }) => [id, code ?? id] as const),
        },
      ],
      first: { couponId: coupons.value?.coupons[0]?.id ?? '' },
      done: 'The next charge has the discount.',
      run: (body) => post(discountPath, body).then(reload),
    });
  const removeDiscount = () => askTo(REMOVE_DISCOUNT, () => remove(discountPath));
  const takeChangeBack = () => askTo(TAKE_BACK, () => remove(`/${mode}/subscriptions/${view.id}/migrate`));
  const cancel = () =>
    askFor({
      ...cancelingOf(view),
      done: 'Done.',
      run: ({ when }) => post(`/${mode}/subscriptions/${view.id}/cancel`, { atPeriodEnd: when === 'end' }).then(reload),
    });
  const again = (
    <>
      {canRetry(view) && <Button onClick={() => askTo(RETRY, () => send('retry'))}>Retry</Button>}
      {canResume(view) && (
        <Button onClick={() => askTo(view.isPaused ? UNPAUSE : RESUME, () => send('resume'))}>Resume</Button>
      )}
    </>
  );
  return (
    <>
      <div class="row">
        {mayAct && isLive && (
          <>
            {(mode === 'live' || view.isPaused) && again}
            {view.model !== 'metered' && <Button onClick={() => setMigrating(true)}>Change the price</Button>}
            {view.pendingChange !== null && <Button onClick={takeChangeBack}>Take the change back</Button>}
            {view.status === 'active' && view.cancelAt === null && (
              <Button onClick={pause}>{view.isPaused ? 'Change the pause' : 'Pause'}</Button>
            )}
            {hasCoupons && <Button onClick={setDiscount}>Set a discount</Button>}
            {view.discount !== null && <Button onClick={removeDiscount}>Take the discount off</Button>}
            {view.quantity !== null && <Button onClick={changeQuantity}>Change the quantity</Button>}
            <Button busy={isBusy} onClick={() => void act(() => start(changePayer))}>
              Let another wallet pay
            </Button>
            <Button variant="danger" onClick={cancel}>
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
              <Button onClick={advance}>Advance the clock</Button>
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

/** Only in the sandbox, where each subscription has a clock of its own. */
const ADVANCE = {
  title: 'Advance the clock',
  action: 'Advance',
  text: 'Only the clock of this subscription moves, and only forward. All charges that fall due are made.',
  fields: [
    {
      name: 'goal',
      label: 'How far',
      options: [
        ['next', 'To its next due moment'],
        ['days', 'By a number of days'],
        ['active', 'Until it is active'],
        ['past_due', 'Until it is past due'],
        ['canceled', 'Until it is canceled'],
      ],
    },
    {
      name: 'days',
      label: 'Days',
      inputMode: 'numeric',
      required: true,
      check: wrongWhole,
      isShown: ({ goal }: { readonly goal?: string }) => goal === 'days',
    },
  ],
  first: { goal: 'next', days: '31' },
} as const;

function goalOf(goal: string, days: string): object {
  switch (goal) {
    case 'next':
      return {};
    case 'days':
      return { days: wholeOrNull(days) };
    default:
      return { status: goal };
  }
}

const USED =
  ' What was used is charged, within what the payer has signed. If that allows no charge yet, the charge waits for its day.';

/** At once, or as long as one is to come, at the end of the paid period. */
function cancelingOf({ currentPeriodEnd: end, cancelAt, model }: SubscriptionStatusView) {
  const common = { title: 'Cancel the subscription', action: 'Cancel it', isDanger: true };
  const used = model === 'metered' ? USED : '';
  const now = `Now is for good. A charge that has been started may still settle.${used}`;
  if (end === null || cancelAt !== null) return { ...common, text: now, fields: [], first: { when: 'now' } };
  const text = `At the end of the period, ${momentText(end)}, it ends by itself: until then you can resume it. ${now}`;
  return { ...common, text, fields: [WHEN], first: { when: 'end' } };
}

const WHEN = {
  name: 'when',
  label: 'When',
  options: [
    ['end', 'At the end of the period'],
    ['now', 'Now'],
  ],
} as const;

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

const TAKE_BACK = {
  title: 'Take the change back?',
  action: 'Take it back',
  text: 'The present price goes on, and the link to the new one ends.',
};

const REMOVE_DISCOUNT = {
  title: 'Take the discount off?',
  action: 'Take it off',
  text: 'The next charge is the full price. What is paid stays as it is.',
};

const RETRY = {
  title: 'Try the charge again?',
  action: 'Try again now',
  text: 'The payer is charged now if the wallet has approved and holds enough.',
};

/** What a pause does to the paid period, before it begins. */
function pausingOf({ isPaused, pausedUntil }: SubscriptionStatusView, offer: SubscriptionActionsProps['offer']) {
  const isKept = offer?.pause?.periodEnd === 'keeps';
  const paid = isKept ? 'The paid period ends on its day.' : 'What is left of the paid period follows afterwards.';
  return {
    title: isPaused ? 'Change the pause' : 'Pause the subscription',
    action: isPaused ? 'Change it' : 'Pause it',
    text: `Nothing falls due during a pause. ${paid} A pause that outlasts the period is followed by a charge at once.`,
    fields: [{ name: 'until', label: 'Until', type: 'date', hint: 'Empty: until somebody resumes it.' }] as const,
    first: { until: pausedUntil === null ? '' : new Date(pausedUntil).toLocaleDateString('sv-SE') },
  };
}

/** The beginning of a day of the reader. */
function momentOfDay(day: string): string {
  return new Date(`${day}T00:00`).toISOString();
}

const UNPAUSE = {
  title: 'End the pause?',
  action: 'Resume it',
  text: 'The next charge follows on its day, or at once if that has passed.',
};

const RESUME = {
  title: 'Resume the subscription?',
  action: 'Resume it',
  text: 'A planned end is taken back. If a charge is due, the payer is charged now.',
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

const BEGINS = {
  period_end: { label: 'With the next period', body: {} },
  credit: {
    label: 'Once it is authorized, with a credit for unused time',
    body: { when: 'now', proration: 'credit' },
  },
  now: { label: 'Once it is authorized, without a credit', body: { when: 'now' } },
} as const;
type Begin = keyof typeof BEGINS;
const BEGIN_NAMES = ['period_end', 'credit', 'now'] as const;

/** The payer has to authorize the new price at a link. */
function MigrateSubscription({ mode, view, terms, offer, onLink, onClose }: MigrateSubscriptionProps) {
  const chains = useChains(mode);
  const prices =
    offer?.pricing.filter(
      ({ id, active, billing }) => active && billing.type === 'recurring' && id !== terms?.offerPriceId,
    ) ?? [];
  const choice = usePriceChoice(prices, view.tokenKey);
  const [begin, setBegin] = useState<Begin>('period_end');
  const migrate = async () => {
    if (choice.chosen === null) throw new Error('Add another recurring price to the offer first');
    const body = { ...choice.chosen, ...BEGINS[begin].body };
    onLink((await post<Migration>(`/${mode}/subscriptions/${view.id}/migrate`, body)).authorizationUrl);
  };
  return (
    <ActionDialog title="Change the price" action="Make the link" run={migrate} onClose={onClose}>
      <p>The subscription keeps its present price until the payer authorizes the new one at a link.</p>
      <PriceChoice choice={choice} chains={chains}>
        The offer has no other recurring price. Add one on its page.
      </PriceChoice>
      {view.status === 'active' && (
        <Select
          label="It begins"
          value={begin}
          onChange={(text) => setBegin(BEGIN_NAMES.find((name) => name === text) ?? begin)}
          options={BEGIN_NAMES.map((name) => [name, BEGINS[name].label])}
        />
      )}
    </ActionDialog>
  );
}
