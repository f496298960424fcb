import { useState } from 'preact/hooks';
import { type MessageKey, say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import type { Alternatives } from '../alternatives.ts';
import { promiseOf } from '../enforcement.ts';
import { type Flow, needsGrant } from '../flow.ts';
import type { Doing, FlowState } from '../flow-state.ts';
import type { Order } from '../order.ts';
import { refusalOf } from '../problem.ts';
import type { Purchase } from '../purchase.ts';
import { isAgreementOver, isShortNow } from '../purchase.ts';
import { resetSentence, sentenceFor } from '../sentences.ts';
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

export interface PayPanelProps<S extends Purchase> {
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
export function PayPanel<S extends Purchase>(props: PayPanelProps<S>) {
  const { flow, wallets, onRestart } = props;
  const state = useSelector(flow.store, (context) => context);
  const { wallet, purchase, isSigned, doing, gone } = state;
  const isOpen = purchase === null || flow.api.isOpen(purchase);
  const shown = isSigned || !isOpen ? purchase : null;
  const stepTitle = gone?.title ?? (shown === null ? choosingTitle(wallet) : sentenceFor(shown).title);
  useTitle(stepTitle, props.offerName, props.merchantName);
  const picker = (
    <WalletPicker
      options={wallets}
      busy={doing === 'connecting'}
      onPick={(option) => void flow.connect(option)}
      onCancel={() => flow.disconnect()}
      elsewhere={{ ...props.elsewhere, family: flow.api.payToken.chainFamily }}
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
      {shown !== null && hasSteps(shown, isOpen) && !isAgreementOver(shown) && <Steps state={state} purchase={shown} />}
      <StatusRegion>{shown !== null && <Sentence purchase={shown} isOver={!isOpen} />}</StatusRegion>
      {shown !== null &&
        (isOpen && !isAgreementOver(shown) ? (
          <Missing {...props} state={state} purchase={shown} picker={picker} />
        ) : (
          <Result flow={flow} state={state} purchase={shown} picker={picker} />
        ))}
      <StatusRegion>
        {gone === null && state.problem?.isWait && (
          <Notice tone="warn" title={state.problem.title}>
            <p>{state.problem.text}</p>
          </Notice>
        )}
      </StatusRegion>
      <FlowProblem state={state} />
      {!isOpen && purchase !== null && isRepeatable(purchase) && onRestart !== null && (
        <Button onClick={onRestart}>{say('common.start_again')}</Button>
      )}
    </div>
  );
}

function choosingTitle(wallet: Wallet | null): string {
  return say(wallet === null ? 'wallet.choose' : 'consent.title');
}

/** After an end without a charge, no steps are shown. */
function hasSteps({ outcome }: Purchase, isOpen: boolean): boolean {
  return isOpen || outcome.payment !== null;
}

/** A subscription that continues exists already; one that has ended does not prevent another. */
function isRepeatable({ kind, outcome }: Purchase): boolean {
  return kind === 'payment' || outcome.progress === 'ended';
}

type WithState<S extends Purchase> = PayPanelProps<S> & { readonly state: FlowState<S> };
type PurchaseView<S extends Purchase> = {
  readonly flow: Flow<S>;
  readonly state: FlowState<S>;
  readonly purchase: S;
  readonly picker: preact.ComponentChild;
};

function ConnectedWallet<S extends Purchase>({ flow, state }: { flow: Flow<S>; state: FlowState<S> }) {
  const { wallet, isOnChain, doing } = state;
  if (wallet === null) return null;
  const { label } = flow.api.payToken.playing;
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

function Review<S extends Purchase>({ flow, state, order, isReady, alternatives, merchantName }: WithState<S>) {
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
        payToken={flow.api.payToken}
        every={order.every}
        {...{ merchantName, choice, onChoose }}
      />
      <Agreement challenge={challenge} payToken={flow.api.payToken} />
      {isShortNow(challenge.chain) && (
        <>
          <TopUp chain={challenge.chain} payToken={flow.api.payToken} />
          {alternatives && <PayInstead alternatives={alternatives} address={challenge.chain.wallet} />}
        </>
      )}
      {state.taking !== 'accepted' && <p>{resetSentence(flow.api.payToken.ticker, state.taking)}</p>}
      <p class="small soft">
        {say(effortOf(state, challenge.takesPermit))} {say('consent.others_later', { merchant: merchantName })}
      </p>
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

function effortOf<S extends Purchase>({ wallet, taking }: FlowState<S>, hasPermit: boolean): MessageKey {
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
function Sentence({ purchase, isOver }: { readonly purchase: Purchase; readonly isOver: boolean }) {
  const { tone, title, text } = sentenceFor(purchase);
  const result = isOver ? { 'data-part': 'result', 'data-progress': purchase.outcome.progress } : {};
  return (
    <div {...result}>
      <Notice tone={tone} title={title} isStep isInRegion>
        <p>{text}</p>
      </Notice>
    </div>
  );
}

/** The missing approval, if it waits for one. */
function Missing<S extends Purchase>({ flow, state, purchase, picker, ...names }: WithState<S> & PurchaseView<S>) {
  if (!needsGrant(flow.api, purchase) || state.gone !== null) return null;
  return (
    <section class="stack" aria-label={say('pay.approval')}>
      {state.wallet === null ? picker : <Grant {...names} flow={flow} state={state} purchase={purchase} />}
    </section>
  );
}

function Grant<S extends Purchase>(props: Omit<WithState<S>, 'wallets'> & { readonly purchase: S }) {
  const { flow, state, purchase, merchantName, order } = props;
  const { choice, doing, sent, wantsTransaction, taking } = state;
  const [accepts, setAccepts] = useState(false);
  const hasOther = purchase.chain?.hasOtherDelegate === true;
  if (purchase.asked === null || isPermitUnderWay(purchase)) return null;
  if (sent?.state === 'not_yet' && sent.what !== 'revocation' && sent.what !== 'end') {
    const title = say(sent.what === 'reset' ? 'pay.reset_on_its_way' : 'pay.approval_on_its_way');
    return <OnItsWay title={title} again={say('pay.approve_again')} onAgain={() => flow.giveUpSent()} />;
  }
  const { canPermit } = flow;
  const onChoose = (next: typeof choice) => flow.store.trigger.chose({ choice: next });
  return (
    <>
      <Consent
        sum={purchase.asked}
        payToken={purchase.asked}
        every={order.every}
        {...{ merchantName, choice, onChoose }}
      />
      {purchase.mandate !== null && <p>{say(promiseOf(purchase.mandate, purchase.asked.chainFamily))}</p>}
      {hasOther && (
        <Notice tone="warn" title={say('pay.other_service')}>
          <p>{say('pay.other_service_text', { merchant: merchantName })}</p>
          <label class="choice">
            <input type="checkbox" checked={accepts} onChange={(event) => setAccepts(event.currentTarget.checked)} />
            <span>{say('pay.other_service_accept')}</span>
          </label>
        </Notice>
      )}
      {isShortNow(purchase.chain) && <TopUp chain={purchase.chain} payToken={purchase.asked} />}
      {taking !== 'accepted' && <p>{resetSentence(purchase.asked.ticker, taking)}</p>}
      <Button
        variant="primary"
        busy={doing !== null}
        disabled={isShortNow(purchase.chain) || (hasOther && !accepts)}
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

function isPermitUnderWay({ outcome: { permit } }: Purchase): boolean {
  return permit?.status === 'waiting' || permit?.status === 'sent';
}

function Result<S extends Purchase>({ flow, state, purchase, picker }: PurchaseView<S>) {
  const { outcome, asked } = purchase;
  const { subscription, progress } = outcome;
  const revoke = asked === null ? null : <Revoke {...{ flow, state, purchase, allowance: asked, picker }} />;
  return (
    <>
      {progress === 'completed' && <Completion purchase={purchase} proofUrl={flow.api.proofUrl} />}
      {(subscription?.status === 'canceled' || isAgreementOver(purchase)) && revoke}
      {subscription !== null && progress === 'completed' && (
        <details>
          <summary>{say('pay.end_without', { merchant: purchase.merchantName })}</summary>
          {revoke}
        </details>
      )}
    </>
  );
}

function FlowProblem<S extends Purchase>({ state }: { readonly state: FlowState<S> }) {
  const problem = state.gone ?? state.problem;
  return problem?.isWait ? null : <ProblemNotice problem={problem ?? refusalOf(state.sent)} />;
}
