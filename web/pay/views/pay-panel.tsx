import { useState } from 'preact/hooks';
import { type MessageKey, say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import type { Alternatives } from '../alternatives.ts';
import { type Flow, needsGrant } from '../flow.ts';
import type { Doing, FlowState } from '../flow-state.ts';
import type { Order } from '../order.ts';
import { refusalOf } from '../problem.ts';
import { promiseOf } from '../promise.ts';
import { resetSentence, sentenceFor } from '../sentences.ts';
import type { Standing } from '../standing.ts';
import { isAgreementOver, isShortNow } from '../standing.ts';
import type { Wallet, WalletOption } from '../wallets/wallet.ts';
import { shortened } from '../words.ts';
import { Agreement } from './agreement.tsx';
import { Completion } from './completion.tsx';
import { Consent } from './consent.tsx';
import type { ElsewhereProps } from './elsewhere.tsx';
import { OnItsWay } from './on-its-way.tsx';
import { OrderBar } from './order-bar.tsx';
import { PayInstead } from './pay-instead.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { Revoke } from './revoke.tsx';
import { Steps } from './steps.tsx';
import { TopUp } from './top-up.tsx';
import { WalletPicker } from './wallet-picker.tsx';

export interface PayPanelProps<S extends Standing> {
  readonly flow: Flow<S>;
  readonly wallets: readonly WalletOption[];
  readonly offerName: string;
  readonly merchantName: string;
  readonly order: Order;
  /** The way to another browser. */
  readonly elsewhere: Pick<ElsewhereProps, 'url' | 'onLeave'>;
  /** Other tokens that the payer can choose before signing; absent: there is no choice. */
  readonly alternatives?: Alternatives;
  /** Starts again with another session; null: not possible here. */
  readonly onRestart: (() => void) | null;
  /** Checks the fields before the wallet signs, and shows each error at its field. True: no errors. */
  readonly isReady?: () => boolean;
}

/** The whole way from the wallet to the end; it shows only the next step. */
export function PayPanel<S extends Standing>(props: PayPanelProps<S>) {
  const { flow, wallets, onRestart } = props;
  const state = useSelector(flow.store, (context) => context);
  const { wallet, standing, isSigned, doing, gone } = state;
  const isOpen = standing === null || flow.deal.isOpen(standing);
  const shown = isSigned || !isOpen ? standing : null;
  const stepTitle = gone?.title ?? (shown === null ? choosingTitle(wallet) : sentenceFor(shown).title);
  useTitle(stepTitle, props.offerName, props.merchantName);
  const picker = (
    <WalletPicker
      options={wallets}
      busy={doing === 'connecting'}
      onPick={(option) => void flow.connect(option)}
      onCancel={() => flow.disconnect()}
      elsewhere={{ ...props.elsewhere, family: flow.deal.place.chainFamily }}
    />
  );
  return (
    <div class="stack" data-part="pay">
      {wallet !== null && <ConnectedWallet flow={flow} state={state} />}
      {isOpen &&
        !isSigned &&
        gone === null &&
        (wallet === null ? (
          <>
            {picker}
            <OrderBar order={props.order} />
          </>
        ) : (
          <Review {...props} state={state} />
        ))}
      {shown !== null && hasSteps(shown, isOpen) && !isAgreementOver(shown) && <Steps state={state} standing={shown} />}
      <StatusRegion>{shown !== null && <Sentence standing={shown} isOver={!isOpen} />}</StatusRegion>
      {shown !== null &&
        (isOpen && !isAgreementOver(shown) ? (
          <Missing {...props} state={state} standing={shown} picker={picker} />
        ) : (
          <Result flow={flow} state={state} standing={shown} picker={picker} />
        ))}
      <StatusRegion>
        {gone === null && state.problem?.isWait && (
          <Notice tone="warn" title={state.problem.title}>
            <p>{state.problem.text}</p>
          </Notice>
        )}
      </StatusRegion>
      <FlowProblem state={state} />
      {!isOpen && standing !== null && isRepeatable(standing) && onRestart !== null && (
        <Button onClick={onRestart}>{say('common.start_again')}</Button>
      )}
    </div>
  );
}

function choosingTitle(wallet: Wallet | null): string {
  return say(wallet === null ? 'wallet.choose' : 'consent.title');
}

/** After an end without a charge, no steps are shown. */
function hasSteps({ outcome }: Standing, isOpen: boolean): boolean {
  return isOpen || outcome.payment !== null;
}

/** A subscription that continues exists already; one that has ended does not prevent another. */
function isRepeatable({ kind, outcome }: Standing): boolean {
  return kind === 'payment' || outcome.progress === 'ended';
}

type WithState<S extends Standing> = PayPanelProps<S> & { readonly state: FlowState<S> };
type StandingView<S extends Standing> = {
  readonly flow: Flow<S>;
  readonly state: FlowState<S>;
  readonly standing: S;
  readonly picker: preact.ComponentChild;
};

function ConnectedWallet<S extends Standing>({ flow, state }: { flow: Flow<S>; state: FlowState<S> }) {
  const { wallet, isOnChain, doing } = state;
  if (wallet === null) return null;
  const { label } = flow.deal.place.playing;
  return (
    <div class="stack-tight">
      <div class="spread" data-part="wallet">
        <span>
          <bdi>{wallet.name}</bdi> <code title={wallet.address}>{shortened(wallet.address)}</code>
        </span>
        <Button variant="quiet" size="small" disabled={doing !== null} onClick={() => flow.leave()}>
          {say('wallet.use_another')}
        </Button>
      </div>
      {isOnChain === false && (
        <Notice tone="warn" title={say('wallet.other_network', { network: label })}>
          <div>
            <Button
              size="small"
              busy={doing === 'switching'}
              disabled={doing !== null}
              onClick={() => void flow.switchChain()}
            >
              {say('wallet.switch', { network: label })}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}

function Review<S extends Standing>({
  flow,
  state,
  order,
  isReady,
  alternatives,
  offerName,
  merchantName,
}: WithState<S>) {
  const { challenge, choice, doing } = state;
  if (challenge === null) {
    return (
      <OrderBar order={order}>
        {/* The key stops Preact from reusing this button as the next one, which would keep the focus and not be announced. */}
        <Button key="renew" variant="primary" busy={doing !== null} isStep onClick={() => void flow.renew()}>
          {say('pay.continue')}
        </Button>
      </OrderBar>
    );
  }
  const onChoose = (next: typeof choice) => flow.store.trigger.chose({ choice: next });
  return (
    <>
      <Consent
        sum={challenge}
        place={flow.deal.place}
        every={order.every}
        {...{ offerName, merchantName, choice, onChoose }}
      />
      <Agreement challenge={challenge} place={flow.deal.place} />
      {isShortNow(challenge.chain) && (
        <>
          <TopUp chain={challenge.chain} place={flow.deal.place} />
          {alternatives && <PayInstead alternatives={alternatives} address={challenge.chain.wallet} />}
        </>
      )}
      {state.taking !== 'accepted' && <p>{resetSentence(flow.deal.place.ticker, state.taking)}</p>}
      <p class="small soft">{say(effortOf(state, challenge.permitToSign !== null))}</p>
      <OrderBar order={order}>
        <Button
          variant="primary"
          busy={doing !== null}
          disabled={isShortNow(challenge.chain)}
          onClick={() => (isReady?.() ?? true) && void flow.agree()}
        >
          {say(LABELS[doing ?? 'signing'] ?? 'pay.agree')}
        </Button>
      </OrderBar>
    </>
  );
}

function effortOf<S extends Standing>({ wallet, taking }: FlowState<S>, hasPermit: boolean): MessageKey {
  if (hasPermit && wallet?.signTypedData != null) {
    return 'pay.effort_permit';
  }
  return taking === 'reset_first' ? 'pay.effort_reset' : 'pay.effort';
}

const LABELS: { readonly [D in Doing]?: MessageKey } = {
  switching: 'pay.switching',
  sending: 'pay.sending',
  permitting: 'pay.permitting',
  resetting: 'pay.resetting',
  approving: 'pay.approving',
};

/** The present state; at the end the result. */
function Sentence({ standing, isOver }: { readonly standing: Standing; readonly isOver: boolean }) {
  const { tone, title, text } = sentenceFor(standing);
  const result = isOver ? { 'data-part': 'result', 'data-progress': standing.outcome.progress } : {};
  return (
    <div {...result}>
      <Notice tone={tone} title={title} isStep isInRegion>
        <p>{text}</p>
      </Notice>
    </div>
  );
}

/** The missing approval, if it waits for one. */
function Missing<S extends Standing>({ flow, state, standing, picker, ...names }: WithState<S> & StandingView<S>) {
  if (!needsGrant(flow.deal, standing) || state.gone !== null) return null;
  return (
    <section class="stack" aria-label={say('pay.approval')}>
      {state.wallet === null ? picker : <Grant {...names} flow={flow} state={state} standing={standing} />}
    </section>
  );
}

function Grant<S extends Standing>(props: Omit<WithState<S>, 'wallets'> & { readonly standing: S }) {
  const { flow, state, standing, offerName, merchantName, order } = props;
  const { choice, doing, sent, wantsTransaction, taking } = state;
  const [accepts, setAccepts] = useState(false);
  const hasOther = standing.chain?.hasOtherDelegate === true;
  if (standing.asked === null || isPermitUnderWay(standing)) return null;
  if (sent?.state === 'not_yet' && sent.what !== 'revocation' && sent.what !== 'end') {
    const title = say(sent.what === 'reset' ? 'pay.reset_on_its_way' : 'pay.approval_on_its_way');
    return <OnItsWay title={title} again={say('pay.approve_again')} onAgain={() => flow.giveUpSent()} />;
  }
  const { canPermit } = flow;
  const onChoose = (next: typeof choice) => flow.store.trigger.chose({ choice: next });
  return (
    <>
      <Consent
        sum={standing.asked}
        place={standing.asked}
        every={order.every}
        {...{ offerName, merchantName, choice, onChoose }}
      />
      {standing.mandate !== null && <p>{say(promiseOf(standing.mandate, standing.asked.chainFamily))}</p>}
      {hasOther && (
        <Notice tone="warn" title={say('pay.other_service')}>
          <p>{say('pay.other_service_text', { merchant: merchantName })}</p>
          <label class="choice">
            <input type="checkbox" checked={accepts} onChange={(event) => setAccepts(event.currentTarget.checked)} />
            <span>{say('pay.other_service_accept')}</span>
          </label>
        </Notice>
      )}
      {isShortNow(standing.chain) && <TopUp chain={standing.chain} place={standing.asked} />}
      {taking !== 'accepted' && <p>{resetSentence(standing.asked.ticker, taking)}</p>}
      <Button
        variant="primary"
        busy={doing !== null}
        disabled={isShortNow(standing.chain) || (hasOther && !accepts)}
        onClick={() => void flow.grant()}
      >
        {say((doing && LABELS[doing]) ?? (canPermit && !wantsTransaction ? 'pay.sign_approval' : 'pay.approve'))}
      </Button>
      {canPermit && (
        <label class="choice">
          <input
            type="checkbox"
            checked={wantsTransaction}
            onChange={(event) => flow.store.trigger.wantsTransaction({ wants: event.currentTarget.checked })}
          />
          <span>{say('pay.by_transaction')}</span>
        </label>
      )}
    </>
  );
}

function isPermitUnderWay({ outcome: { permit } }: Standing): boolean {
  return permit?.status === 'waiting' || permit?.status === 'sent';
}

function Result<S extends Standing>({ flow, state, standing, picker }: StandingView<S>) {
  const { outcome, asked } = standing;
  const { subscription, progress } = outcome;
  const revoke = asked === null ? null : <Revoke {...{ flow, state, standing, asked, picker }} />;
  return (
    <>
      {progress === 'completed' && <Completion standing={standing} proofUrl={flow.deal.proofUrl} />}
      {(subscription?.status === 'canceled' || isAgreementOver(standing)) && revoke}
      {subscription !== null && progress === 'completed' && (
        <details>
          <summary>{say('pay.end_without', { merchant: standing.merchantName })}</summary>
          {revoke}
        </details>
      )}
    </>
  );
}

function FlowProblem<S extends Standing>({ state }: { readonly state: FlowState<S> }) {
  const problem = state.gone ?? state.problem;
  return problem?.isWait ? null : <ProblemNotice problem={problem ?? refusalOf(state.sent)} />;
}
