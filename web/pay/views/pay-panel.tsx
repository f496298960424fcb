import { useState } from 'preact/hooks';
import type { PayerState } from '../../../src/checkout/wire.ts';
import { inChosenLanguage } from '../../i18n/page-language.ts';
import { type MessageKey, say } from '../../i18n/say.ts';
import { serviceUrl } from '../../ui/api.ts';
import { Button } from '../../ui/button.tsx';
import { money } from '../../ui/decimal.ts';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import type { Alternatives } from '../alternatives.ts';
import { promiseOf } from '../enforcement.ts';
import { type Flow, needsGrant } from '../flow.ts';
import type { Doing, FlowState, Sent } from '../flow-state.ts';
import type { Order } from '../order.ts';
import { isAgreementOver, isChangeFailed, isShortNow, type Purchase } from '../purchase.ts';
import { resetSentence, sentenceFor } from '../sentences.ts';
import type { WalletOption } from '../wallets/wallet.ts';
import { shortened } from '../words.ts';
import { Agreement } from './agreement.tsx';
import { Completion } from './completion.tsx';
import { Consent, type ConsentProps } from './consent.tsx';
import type { ElsewhereProps } from './elsewhere.tsx';
import { OnItsWay } from './on-its-way.tsx';
import { OrderBar } from './order-bar.tsx';
import { PayInstead } from './pay-instead.tsx';
import { Revoke, type RevokeProps } from './revoke.tsx';
import { Steps } from './steps.tsx';
import { AddMissing, TopUp } from './top-up.tsx';
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
  const choosing = say(wallet === null ? 'wallet.choose' : 'consent.title');
  const stepTitle = gone?.title ?? (shown === null ? choosing : sentenceFor(shown).title);
  useTitle(stepTitle, props.offerName, props.merchantName);
  const [signsAgain, setSignsAgain] = useState(false);
  const step = stepOf(flow, state, signsAgain);
  const { chainFamily, ticker, playing } = flow.api.payToken;
  const picker = (
    <WalletPicker
      options={wallets}
      busy={doing === 'connecting'}
      onPick={(option) => void flow.connect(option)}
      onCancel={() => flow.disconnect()}
      elsewhere={{ ...props.elsewhere, family: chainFamily, needs: { ticker, network: playing.label } }}
    />
  );
  return (
    <div class="stack" data-part="pay">
      {wallet !== null && <ConnectedWallet flow={flow} state={state} step={step} />}
      {step === 'choose' && picker}
      {!isSigned && <Review {...props} state={state} step={step} />}
      {shown !== null && hasSteps(shown, isOpen) && <Steps state={state} purchase={shown} />}
      <StatusRegion>{shown !== null && <Sentence purchase={shown} isOver={!isOpen} />}</StatusRegion>
      {shown !== null &&
        (isOpen && !isAgreementOver(shown) ? (
          <Missing {...props} state={state} step={step} purchase={shown} picker={picker} />
        ) : (
          <Result flow={flow} state={state} purchase={shown} picker={picker} />
        ))}
      {shown !== null && canRestart(shown, isOpen) && onRestart !== null && (
        <Button onClick={onRestart}>{say('common.start_again')}</Button>
      )}
      <OrderBar order={step === null || step === 'subscribed' ? null : props.order} problem={gone ?? state.problem}>
        {step === null || step === 'choose' ? null : (
          <StepButton {...props} state={state} step={step} onSignAgain={() => setSignsAgain(true)} />
        )}
      </OrderBar>
    </div>
  );
}

/** What the payer does next with the bar's button: `choose` a wallet has buttons of its own. */
type Step = 'choose' | 'renew' | 'subscribed' | 'top_up' | 'agree' | 'grant';

/** null: the payer waits, or the page shows how it ended. */
function stepOf<S extends Purchase>(flow: Flow<S>, state: FlowState<S>, signsAgain: boolean): Step | null {
  const { wallet, purchase, challenge, isSigned, gone, sent } = state;
  if (gone !== null || (purchase !== null && !flow.api.isOpen(purchase))) return null;
  if (!isSigned) {
    if (wallet === null) return 'choose';
    if (challenge === null) return 'renew';
    if (challenge.isSubscribed && !signsAgain) return 'subscribed';
    return isShortNow(challenge.chain) ? 'top_up' : 'agree';
  }
  if (wallet === null || purchase === null || purchase.asked === null || !needsGrant(flow.api, purchase)) return null;
  if (isPermitUnderWay(purchase) || isGrantUnderWay(sent)) return null;
  return isShortNow(purchase.chain) ? 'top_up' : 'grant';
}

/** What the chain showed of the wallet last; null: nothing yet. */
function payerOf<S extends Purchase>({ isSigned, challenge, purchase }: FlowState<S>): PayerState | null {
  return (isSigned ? purchase : challenge)?.chain ?? null;
}

/** After an end without a charge, and where the payer has to sign once more, no steps are shown. */
function hasSteps(purchase: Purchase, isOpen: boolean): boolean {
  if (isAgreementOver(purchase) || isChangeFailed(purchase)) return false;
  return isOpen || purchase.outcome.payment !== null;
}

/** A subscription that continues exists already; one that has ended does not prevent another. */
function canRestart(purchase: Purchase, isOpen: boolean): boolean {
  if (purchase.kind === 'migration') return isChangeFailed(purchase);
  return !isOpen && (purchase.kind === 'payment' || purchase.outcome.progress === 'ended');
}

type WithState<S extends Purchase> = PayPanelProps<S> & { readonly state: FlowState<S>; readonly step: Step | null };
type PurchaseView<S extends Purchase> = Omit<RevokeProps<S>, 'allowance'>;

function ConnectedWallet<S extends Purchase>({ flow, state, step }: Pick<WithState<S>, 'flow' | 'state' | 'step'>) {
  const { wallet, isOnChain, doing } = state;
  if (wallet === null) return null;
  const { playing, ticker } = flow.api.payToken;
  const { label: network } = playing;
  const chain = step === null ? null : payerOf(state);
  return (
    <div class="stack-tight">
      <div class="spread" data-part="wallet">
        <span>
          <bdi>{wallet.name}</bdi> <code title={wallet.address}>{shortened(wallet.address)}</code>
        </span>
        <Button variant="quiet" size="small" disabled={doing !== null} onClick={() => flow.leave()}>
          {say('wallet.use_another')}
        </Button>
        {chain !== null && (
          <span class="small soft" data-part="balance">
            {say('wallet.has', { balance: money(chain.balance, ticker), network })}
          </span>
        )}
      </div>
      {isOnChain === false && (
        <Notice tone="warn" title={say('wallet.other_network', { network })}>
          <div>
            <Button
              size="small"
              busy={doing === 'switching'}
              disabled={doing !== null}
              onClick={() => void flow.switchChain()}
            >
              {say('wallet.switch', { network })}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}

function Review<S extends Purchase>(props: WithState<S>) {
  const { flow, state, step, merchantName } = props;
  const { challenge } = state;
  const { payToken } = flow.api;
  if (challenge === null || step === null || step === 'subscribed') return null;
  return (
    <>
      <Amounts {...props} sum={challenge} chain={challenge.chain} payToken={payToken} />
      <Agreement challenge={challenge} payToken={payToken} />
      <p class="small soft">
        {/* A wallet with too little is not asked for a permit yet, so its effort is not known. */}
        {step !== 'top_up' && `${say(effortOf(state, challenge.takesPermit))} `}
        {say('consent.others_later', { merchant: merchantName })}
      </p>
    </>
  );
}

type AmountsProps<S extends Purchase> = WithState<S> &
  Pick<ConsentProps, 'sum' | 'payToken'> & { readonly chain: PayerState | null };

/** What the wallet lacks, then what it is asked to approve. */
function Amounts<S extends Purchase>({ flow, state, order, merchantName, sum, chain, payToken }: AmountsProps<S>) {
  const { choice } = state;
  const onChoose = (next: typeof choice) => flow.store.trigger.chose({ choice: next });
  return (
    <>
      {isShortNow(chain) && <TopUp chain={chain} payToken={payToken} />}
      <Consent
        every={order.threshold === undefined ? order.every : null}
        {...{ sum, payToken, merchantName, choice, onChoose }}
      />
    </>
  );
}

interface StepButtonProps<S extends Purchase> extends WithState<S> {
  readonly step: Exclude<Step, 'choose'>;
  readonly onSignAgain: () => void;
}

/**
 * The button of a step, with the notes that the payer needs at it. Their keys stop Preact from reusing one as the
 * next, which would keep the focus and not be announced.
 */
function StepButton<S extends Purchase>({ step, onSignAgain, ...props }: StepButtonProps<S>) {
  const { flow, state, offerName, isReady, alternatives } = props;
  const { challenge, doing, taking, wallet } = state;
  const busy = doing !== null;
  switch (step) {
    case 'renew':
      return (
        <Button key={step} variant="primary" busy={busy} isStep onClick={() => void flow.renew()}>
          {say('pay.continue')}
        </Button>
      );
    case 'subscribed':
      return (
        <>
          <Notice title={say('purchase.existing')} isStep>
            <p>{say('purchase.existing_unsigned', { offer: offerName })}</p>
          </Notice>
          <div class="row">
            <a class="button button-primary" href={inChosenLanguage(serviceUrl('/portal'))}>
              {say('purchase.open_portal')}
            </a>
            <Button onClick={onSignAgain}>{say('purchase.sign_again')}</Button>
          </div>
        </>
      );
    case 'top_up': {
      const chain = payerOf(state);
      return (
        chain && (
          <AddMissing key={step} chain={chain} ticker={flow.api.payToken.ticker}>
            {alternatives && challenge && <PayInstead alternatives={alternatives} address={wallet?.address ?? ''} />}
          </AddMissing>
        )
      );
    }
    case 'agree':
      return (
        <>
          {taking !== 'accepted' && <p class="small">{resetSentence(flow.api.payToken.ticker, taking)}</p>}
          <Button key={step} variant="primary" busy={busy} onClick={() => (isReady?.() ?? true) && void flow.agree()}>
            {say(LABELS[doing ?? 'signing'] ?? 'pay.agree')}
          </Button>
        </>
      );
    case 'grant':
      return <GrantButton key={step} {...props} />;
  }
}

/** If the account has another delegate, its owner first accepts that this one replaces it. */
function GrantButton<S extends Purchase>({ flow, state, merchantName }: Omit<WithState<S>, 'step'>) {
  const { purchase, doing, taking, wantsTransaction } = state;
  const [accepts, setAccepts] = useState(false);
  const hasOther = purchase?.chain?.hasOtherDelegate === true;
  return (
    <>
      {hasOther && (
        <Notice tone="warn" title={say('pay.other_service')}>
          <p>{say('pay.other_service_text', { merchant: merchantName })}</p>
          <label class="choice">
            <input type="checkbox" checked={accepts} onChange={(event) => setAccepts(event.currentTarget.checked)} />
            <span>{say('pay.other_service_accept')}</span>
          </label>
        </Notice>
      )}
      {taking !== 'accepted' && <p class="small">{resetSentence(flow.api.payToken.ticker, taking)}</p>}
      <Button variant="primary" busy={doing !== null} disabled={hasOther && !accepts} onClick={() => void flow.grant()}>
        {say((doing && LABELS[doing]) ?? (flow.canPermit && !wantsTransaction ? 'pay.sign_approval' : 'pay.approve'))}
      </Button>
    </>
  );
}

function effortOf<S extends Purchase>({ wallet, taking }: FlowState<S>, hasPermit: boolean): MessageKey {
  if (hasPermit && wallet?.signTypedData != null) return 'pay.effort_permit';
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

function Grant<S extends Purchase>(props: WithState<S> & { readonly purchase: S }) {
  const { flow, state, purchase, step } = props;
  const { sent, wantsTransaction } = state;
  const { asked, chain, mandate } = purchase;
  if (isGrantUnderWay(sent)) {
    const title = say(sent.what === 'reset' ? 'pay.reset_on_its_way' : 'pay.approval_on_its_way');
    return <OnItsWay title={title} again={say('pay.approve_again')} onAgain={() => flow.giveUpSent()} />;
  }
  if (asked === null || step === null) return null;
  return (
    <>
      <Amounts {...props} sum={asked} chain={chain} payToken={asked} />
      {mandate !== null && <p>{say(promiseOf(mandate, asked.chainFamily))}</p>}
      {flow.canPermit && (
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

function isGrantUnderWay(sent: Sent | null): sent is Sent {
  return sent?.state === 'not_yet' && (sent.what === 'reset' || sent.what === 'approval');
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
