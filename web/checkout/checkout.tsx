import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { openTransfer } from '../pay/checkout-api.ts';
import { type Collected, collectErrors, collectedOf, collectFieldsOf } from '../pay/collect.ts';
import { Flow } from '../pay/flow.ts';
import { type Problem, problemOf } from '../pay/problem.ts';
import { newSessionKey, type Remembered, remember } from '../pay/session-memory.ts';
import type { AcceptedToken, Offer, Option, Session } from '../pay/types.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { PayPanel } from '../pay/views/pay-panel.tsx';
import type { Wallet } from '../pay/wallets/wallet.ts';
import { Notice } from '../ui/notice.tsx';
import { ChooseOption, ChooseToken } from './choose.tsx';
import { CollectForm } from './collect-form.tsx';
import { placeOf, sessionDeal } from './deal.ts';
import { StartTransfer, TransferPanel } from './transfer.tsx';

export interface CheckoutProps {
  readonly offer: Offer;
  /** What this tab remembers; null: it begins. */
  readonly memory: (Partial<Remembered> & Pick<Remembered, 'sessionKey'>) | null;
  readonly session: Session | null;
  readonly onRefused: () => void;
  readonly onRestart: () => void;
}

type Method = 'wallet' | 'transfer';

/** Choosing, then paying. What has been signed for is not chosen again. */
export function Checkout(props: CheckoutProps) {
  const { offer, memory, onRestart, onRefused } = props;
  const [session, setSession] = useState(props.session);
  const [priceId, setPriceId] = useState(session?.priceId ?? memory?.priceId ?? offer.pricing[0]?.id ?? '');
  const option = offer.pricing.find(({ id }) => id === priceId) ?? offer.pricing[0];
  const [wanted, setToken] = useState(memory?.tokenKey ?? '');
  const token = option && tokenOf(option, wanted);
  const fields = collectFieldsOf(offer.collectFields);
  const [collected, setCollected] = useState<Collected>(memory?.collected ?? {});
  const [errors, setErrors] = useState<Collected>({});
  const latest = useRef(collected);
  latest.current = collected;
  const sessionKey = useMemo(() => memory?.sessionKey ?? newSessionKey(), [memory]);
  const methods = option === undefined ? [] : methodsOf(offer, option);
  const [method, setMethod] = useState<Method>('wallet');

  const place = session?.asked ?? (token && placeOf(token)) ?? null;
  const flow = useMemo(() => {
    if (place === null) return null;
    const billing = option?.billing ?? { type: 'recurring', interval: null, intervalCount: null };
    const deal = sessionDeal({
      offerId: offer.id,
      sessionKey,
      option: { id: priceId, billing },
      tokenKey: memory?.tokenKey ?? token?.tokenKey ?? '',
      place,
      signed: session === null ? null : (memory?.signed ?? null),
      isSigned: session !== null,
      collected: () => collectedOf(fields, latest.current),
      onRefused,
    });
    return new Flow(deal, session);
  }, [priceId, token?.tokenKey, sessionKey, session === null]);
  const carried = useRef<Wallet | null>(null);
  useEffect(() => {
    const wallet = carried.current;
    if (flow !== null && wallet?.family === place?.chainFamily && wallet != null) void flow.adopt(wallet);
    return () => {
      carried.current = flow?.store.getSnapshot().context.wallet ?? null;
      flow?.stop();
    };
  }, [flow]);
  const wallets = useWallets(place?.chainFamily ?? 'evm', offer.isSandbox);
  const isSigned = useIsSigned(flow);

  if (option === undefined || flow === null) return <NothingToPay />;
  const isReady = () => {
    const wrong = collectErrors(fields, latest.current);
    setErrors(wrong);
    if (Object.keys(wrong).length > 0) document.querySelector<HTMLElement>('.field input')?.focus();
    return Object.keys(wrong).length === 0;
  };
  if (session?.paymentMethod === 'wallet_transfer') return <TransferPanel flow={flow} onRestart={onRestart} />;
  const chooses = session === null && !isSigned;
  const chosenMethod = methods.includes(method) ? method : (methods[0] ?? 'wallet');
  return (
    <div class="stack">
      {chooses && (
        <>
          <ChooseOption options={offer.pricing} chosen={priceId} onChoose={setPriceId} />
          <ChooseToken
            tokens={option.acceptedTokens}
            chosen={token?.tokenKey ?? ''}
            isSandbox={offer.isSandbox}
            onChoose={setToken}
          />
          {fields.length > 0 && <CollectForm {...{ fields, collected, errors }} onChange={setCollected} />}
          {methods.length > 1 && <ChooseMethod chosen={chosenMethod} onChoose={setMethod} />}
        </>
      )}
      {chosenMethod === 'wallet' || !chooses ? (
        <PayPanel
          flow={flow}
          wallets={wallets}
          offerName={offer.name}
          merchantName={offer.merchantName}
          isReady={isReady}
          onRestart={onRestart}
        />
      ) : (
        <Transfer
          isReady={isReady}
          start={async (refundWallet) => {
            const opening = {
              sessionKey,
              priceId,
              tokenKey: token?.tokenKey ?? '',
              collected: collectedOf(fields, collected),
            };
            remember(offer.id, { ...opening, signed: null });
            setSession(await openTransfer(offer.id, { ...opening, ...(refundWallet === '' ? {} : { refundWallet }) }));
          }}
        />
      )}
    </div>
  );
}

/** Whether what is to be signed has been, on this page. */
function useIsSigned(flow: Flow<Session> | null): boolean {
  const [isSigned, setSigned] = useState(false);
  useEffect(() => {
    setSigned(flow?.store.getSnapshot().context.isSigned ?? false);
    const subscription = flow?.store.subscribe(({ context }) => setSigned(context.isSigned));
    return () => subscription?.unsubscribe();
  }, [flow]);
  return isSigned;
}

function Transfer({ isReady, start }: { isReady: () => boolean; start: (refundWallet: string) => Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const onStart = (refundWallet: string) => {
    if (!isReady()) return;
    setBusy(true);
    setProblem(null);
    start(refundWallet)
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <StartTransfer busy={busy} onStart={onStart} />
      {problem !== null && (
        <Notice tone="bad" title={problem.title}>
          <p>{problem.text}</p>
        </Notice>
      )}
    </>
  );
}

function ChooseMethod({ chosen, onChoose }: { readonly chosen: Method; readonly onChoose: (method: Method) => void }) {
  const titles: { readonly [M in Method]: string } = {
    wallet: 'A wallet in this browser',
    transfer: 'A transfer from any wallet or exchange',
  };
  return (
    <fieldset class="stack-tight">
      <legend>How</legend>
      {(['wallet', 'transfer'] as const).map((method) => (
        <label key={method} class="choice">
          <input type="radio" name="method" checked={method === chosen} onChange={() => onChoose(method)} />
          <span>{titles[method]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function NothingToPay() {
  return (
    <Notice tone="warn" title="This cannot be paid at the moment">
      <p>None of its networks is available. Please try again later, or ask the merchant.</p>
    </Notice>
  );
}

/** The one that was wanted, else the first that can be paid. */
function tokenOf({ acceptedTokens }: Option, wanted: string): AcceptedToken | undefined {
  const enabled = acceptedTokens.filter((token) => token.enabled);
  return enabled.find(({ tokenKey }) => tokenKey === wanted) ?? enabled[0];
}

/** A transfer pays once; `allowedPaymentMethods` can rule one of them out. */
function methodsOf({ allowedPaymentMethods }: Offer, { billing }: Option): Method[] {
  const allows = (name: string) => allowedPaymentMethods[name] !== false;
  return [
    ...(allows('wallet_connect') ? ['wallet' as const] : []),
    ...(billing.type === 'one_time' && allows('wallet_transfer') ? ['transfer' as const] : []),
  ];
}
