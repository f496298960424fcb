import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AcceptedToken, ChainFamily, Offer, Option, Session } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { type Alternative, type Alternatives, alternativeOf, othersOf } from '../pay/alternatives.ts';
import {
  type Chosen,
  findSession,
  offerPath,
  post,
  postInLanguage,
  requestOffer,
  sessionPath,
} from '../pay/checkout-api.ts';
import { type Collected, collectErrors, collectedOf, collectFieldsOf } from '../pay/collect.ts';
import { firstChargeAt, type Order, thresholdIn } from '../pay/order.ts';
import {
  addressElsewhere,
  continueWith,
  dropTransfer,
  keepTransfer,
  type Memory,
  newSessionKey,
  note,
} from '../pay/session-memory.ts';
import { useReconnect } from '../pay/use-reconnect.ts';
import { useReturn } from '../pay/use-return.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { PayPanel } from '../pay/views/pay-panel.tsx';
import { serviceNow } from '../ui/api.ts';
import { Fields, useValues } from '../ui/form.tsx';
import { Notice, StatusRegion } from '../ui/notice.tsx';
import { times } from '../ui/sum.ts';
import { ChooseOption, ChooseQuantity, ChooseToken } from './choose.tsx';
import { CouponField, useCoupon } from './coupon.tsx';
import { ChooseMethod, type Method, methodFor, methodsOf } from './methods.tsx';
import { type Keeping, StartTransfer, TransferPanel, TransferStatus } from './transfer.tsx';
import { payTokenOf, type SessionApiInput, useSessionFlow } from './use-session-flow.ts';

export interface CheckoutProps {
  readonly offer: Offer;
  /** The data that this tab remembers; null: a first visit. */
  readonly memory: Memory | null;
  readonly session: Session | null;
  readonly onRefused: () => void;
  /** null: the offer is not sold any more. */
  readonly onRestart: (() => void) | null;
}

/** First the choice, then the payment. */
export function Checkout(props: CheckoutProps) {
  const { offer, memory } = props;
  const [priceId, setPriceId] = useState(props.session?.priceId ?? memory?.priceId ?? '');
  const option = offer.pricing.find(({ id }) => id === priceId) ?? offer.pricing[0] ?? null;
  // A session whose option was retired has no chosen option.
  if (option === null && props.session === null) return <NothingToPay />;
  return <CheckoutOf {...props} option={option} onOption={setPriceId} />;
}

type CheckoutOfProps = CheckoutProps & {
  readonly option: Option | null;
  readonly onOption: (priceId: string) => void;
};

function CheckoutOf({ offer, memory, option, onOption, onRestart, onRefused, ...props }: CheckoutOfProps) {
  const [session, setSession] = useState(props.session);
  const [wanted, setToken] = useState(memory?.tokenKey ?? '');
  const token = option === null ? null : tokenOf(option, wanted);
  const form = useCollectForm(offer, memory?.collected ?? {});
  const sessionKey = useMemo(() => memory?.sessionKey ?? newSessionKey(), [memory]);
  const payToken = session?.asked ?? (token && payTokenOf(token));
  const [wantedQuantity, setQuantity] = useState(memory?.quantity ?? quantityInAddress());
  const quantity = session === null ? quantityIn(option?.units ?? null, wantedQuantity) : session.quantity;
  const wantedPrice: Chosen = {
    priceId: session?.priceId ?? option?.id ?? '',
    tokenKey: token?.tokenKey ?? memory?.tokenKey ?? '',
    ...(quantity === null ? {} : { quantity }),
  };
  const takesCode = session === null && offer.takesCodes;
  const coupon = useCoupon(offer.id, wantedPrice, memory?.coupon ?? couponInAddress(), takesCode);
  const code = coupon.discount?.code ?? null;
  const chosen: Chosen = { ...wantedPrice, ...(code === null ? {} : { coupon: code }) };
  const { flow, isSigned, isAsking } = useSessionFlow(
    {
      offerId: offer.id,
      sessionKey,
      option: { id: chosen.priceId, billing: billingOf(session, option) },
      tokenKey: chosen.tokenKey,
      ...(quantity === null ? {} : { quantity }),
      ...(code === null ? {} : { coupon: code }),
      payToken,
      ...(memory?.choice !== undefined && isOf(memory, chosen) ? { choice: memory.choice } : {}),
      signed: session === null ? null : (memory?.signed ?? null),
      collected: form.collected,
      onRefused: () => {
        coupon.recheck();
        onRefused();
      },
    },
    session,
  );
  const wallets = useWallets(payToken?.chainFamily ?? 'evm', offer.isSandbox, chainIdsOf(payToken, option));
  useReconnect(flow, wallets, memory?.wallet ?? null);
  const methods = option === null ? [] : methodsOf(offer, option);
  const [wantedMethod, setMethod] = useState<Method | null>(memory?.method ?? null);
  const opening = () => ({ sessionKey, ...chosen, collected: form.collected() });
  const { isStarting, start } = useTransferStart(offer.id, opening, setSession, coupon.recheck);
  const disabled = isAsking || isStarting;
  const method = methodFor(methods, wantedMethod, wallets);
  const transfer = session?.paymentMethod === 'wallet_transfer' ? flow : null;
  const onLeave = useReturn(session !== null || isSigned, async () => {
    const found = await findSession(sessionKey);
    if (found === null) return;
    continueWith(offer.id, {
      sessionKey,
      priceId: found.priceId,
      tokenKey: chosen.tokenKey,
      collected: {},
      signed: null,
    });
    setSession(found);
  });
  const alternatives: Alternatives = {
    find: (address) => alternativesIn(offer.id, option, { ...chosen, address, family: payToken?.chainFamily ?? 'evm' }),
    choose: setToken,
  };
  const agreed = session?.discount ?? session?.outcome.subscription?.discount ?? null;
  const order = { ...orderOf(option, session, token, quantity), discount: session === null ? coupon.discount : agreed };
  const elsewhere = { url: addressElsewhere({ sessionKey, ...chosen }), onLeave };
  const keep = (what: Keeping) =>
    what === 'nothing'
      ? dropTransfer(offer.id, sessionKey)
      : keepTransfer(offer.id, { sessionKey, ...chosen, isOver: what === 'for_refund' });
  const chooses = session === null && !isSigned && option !== null;
  useDraft(offer.id, chooses ? { ...opening(), method } : null);
  const { name: offerName, merchantName } = offer;
  return (
    <div class="stack">
      <StatusRegion>{transfer && <TransferStatus flow={transfer} />}</StatusRegion>
      {transfer && (
        <TransferPanel
          flow={transfer}
          link={elsewhere.url}
          keep={keep}
          nameRefundWallet={(refundWallet) => post(`${sessionPath(sessionKey)}/refund-wallet`, { refundWallet })}
          onRestart={onRestart}
        />
      )}
      {chooses && (
        <>
          <ChooseOption options={offer.pricing} chosen={option.id} disabled={disabled} onChoose={onOption} />
          {option.units?.changedBy === 'customer' && quantity !== null && (
            <ChooseQuantity {...{ option, quantity, disabled }} units={option.units} onChoose={setQuantity} />
          )}
          <ChooseToken
            tokens={option.acceptedTokens}
            quantity={quantity ?? 1}
            isMost={option.metered !== null}
            chosen={chosen.tokenKey}
            disabled={disabled}
            onChoose={setToken}
          />
          {takesCode && <CouponField {...{ coupon, disabled }} charge={order.charge} isOnce={order.every === null} />}
          {form.view}
          {methods.length > 1 && (
            <ChooseMethod {...{ methods, wallets, disabled }} chosen={method} onChoose={setMethod} />
          )}
        </>
      )}
      {flow === null && <NothingToPay />}
      {flow !== null && chooses && method === 'transfer' && (
        <StartTransfer {...{ offerName, merchantName, order, start }} isReady={form.isReady} />
      )}
      {flow !== null && transfer === null && (!chooses || method === 'wallet') && (
        <PayPanel
          {...{ flow, wallets, offerName, merchantName, order, elsewhere, alternatives, onRestart }}
          isReady={form.isReady}
        />
      )}
    </div>
  );
}

/** True if what the tab remembers is of the present choice. */
function isOf(memory: Memory, { priceId, tokenKey, quantity, coupon }: Chosen): boolean {
  const isPrice = memory.priceId === priceId && memory.tokenKey === tokenKey;
  return isPrice && memory.quantity === quantity && memory.coupon === coupon;
}

/** Requests a deposit address for the choice. */
function useTransferStart(
  offerId: string,
  opening: () => Memory,
  onOpened: (session: Session) => void,
  onRefused: () => void,
) {
  const [isStarting, setStarting] = useState(false);
  const start = async (refundWallet: string) => {
    continueWith(offerId, { ...opening(), signed: null });
    setStarting(true);
    try {
      const receiver = refundWallet === '' ? {} : { refundWallet };
      const body = { ...opening(), ...receiver, paymentMethod: 'wallet_transfer' };
      onOpened(await postInLanguage<Session>(`${offerPath(offerId)}/payments`, body));
    } catch (error) {
      onRefused();
      throw error;
    } finally {
      setStarting(false);
    }
  };
  return { isStarting, start };
}

/** Notes each change of the choice, so that a reload continues with it; null: nothing can be chosen any more. */
function useDraft(offerId: string, draft: Memory | null): void {
  const drafted = JSON.stringify(draft);
  const first = useRef(drafted);
  useEffect(() => {
    if (draft !== null && drafted !== first.current) note(offerId, draft);
  }, [drafted]);
}

/** The wallet's balances in the other tokens of the option, as for the chosen one. */
async function alternativesIn(
  offerId: string,
  option: Option | null,
  wallet: Chosen & { readonly address: string; readonly family: ChainFamily },
): Promise<Alternative[]> {
  const { family: _, ...chosen } = wallet;
  const found = await Promise.all(
    othersOf(option?.acceptedTokens ?? [], wallet).map(async (token) => {
      const request = await requestOffer(offerId, { ...chosen, tokenKey: token.tokenKey }).catch(() => null);
      return alternativeOf(token, request?.chain ?? null);
    }),
  );
  return found.flatMap((each) => each ?? []);
}

/** The chains of a payment: that of the chosen token, then those of the others, to which the payer may change. */
function chainIdsOf(payToken: SessionApiInput['payToken'] | null, option: Option | null): number[] {
  const others = (option?.acceptedTokens ?? []).flatMap((token) => payTokenOf(token) ?? []);
  const alike = others.filter(({ chainFamily }) => chainFamily === payToken?.chainFamily);
  return [...new Set([...(payToken === null ? [] : [payToken]), ...alike].map(({ playing }) => playing.chainId))];
}

/** The merchant's questions: the fields, their values, and whether these are valid. */
function useCollectForm(offer: Offer, known: Collected) {
  const fields = collectFieldsOf(offer.collectFields);
  const empty = Object.fromEntries(fields.map(({ name }) => [name, '']));
  const { values: collected, onChange } = useValues<Collected>({ ...empty, ...known });
  const [isTried, setTried] = useState(false);
  const latest = useRef(collected);
  latest.current = collected;
  return {
    collected: () => collectedOf(fields, latest.current),
    isReady: () => {
      const wrong = collectErrors(fields, latest.current);
      setTried(true);
      const first = fields.findIndex(({ name }) => wrong[name] !== undefined);
      document.querySelectorAll<HTMLElement>('[data-part=collect] :is(input, select, textarea)')[first]?.focus();
      return first < 0;
    },
    view: fields.length > 0 && (
      <fieldset class="stack" data-part="collect">
        <legend>{say('collect.title')}</legend>
        <Fields
          fields={fields}
          values={collected}
          onChange={onChange}
          errors={isTried ? collectErrors(fields, collected) : {}}
        />
      </fieldset>
    ),
  };
}

/** A session knows its billing even if its option is retired. */
function billingOf(session: Session | null, option: Option | null): Option['billing'] {
  if (session === null && option !== null) return option.billing;
  const type = session?.kind === 'payment' ? 'one_time' : 'recurring';
  return { type, interval: null, intervalCount: null };
}

/** With a session whose option is retired, only its charge is known. */
function orderOf(
  option: Option | null,
  session: Session | null,
  token: AcceptedToken | null,
  quantity: number | null,
): Omit<Order, 'discount'> {
  // What a session of a payment asks for is less its discount.
  const asked = session?.discount ? null : session?.asked;
  const amount = asked?.amount ?? times(token?.amount ?? '0.00', quantity ?? 1);
  const ticker = session?.asked?.ticker ?? token?.ticker ?? '';
  const { interval, intervalCount } = billingOf(session, option);
  const every = interval === null ? null : { interval, count: intervalCount ?? 1 };
  const metered = option?.metered ?? null;
  const now = new Date(serviceNow()).toISOString();
  return {
    price: { amount: metered?.capAmount ?? option?.amount ?? amount, currency: option?.currency ?? ticker },
    charge: { amount, ticker },
    every,
    firstAt: firstChargeAt(option?.trialDays ?? null, metered && every, now),
    maxCycles: option?.maxCycles ?? null,
    units: option?.units && quantity !== null ? { ...option.units, quantity } : null,
    most: metered && { amount: token?.amount ?? amount, ticker },
    ...thresholdIn(metered),
  };
}

/** The code that the address has: `?coupon=WELCOME`; empty: none. */
function couponInAddress(): string {
  return new URLSearchParams(location.search).get('coupon') ?? '';
}

/** The quantity that the address asks for: `?quantity=5`; 0: none. */
function quantityInAddress(): number {
  return Number(new URLSearchParams(location.search).get('quantity') ?? 0);
}

/** The wanted quantity, or the nearest that the payer can have; null: the price is fixed. */
function quantityIn(units: Option['units'], wanted: number): number | null {
  if (units === null || units.changedBy === 'merchant' || !Number.isSafeInteger(wanted)) return units?.min ?? null;
  return Math.min(Math.max(wanted, units.min), units.max);
}

function NothingToPay() {
  return (
    <Notice tone="warn" title={say('common.cannot_be_paid')}>
      <p>{say('checkout.no_network')}</p>
    </Notice>
  );
}

/** The wanted token, else the first that can be used for payment. */
function tokenOf({ acceptedTokens }: Option, wanted: string): AcceptedToken | null {
  const enabled = acceptedTokens.filter((token) => token.enabled);
  return enabled.find(({ tokenKey }) => tokenKey === wanted) ?? enabled[0] ?? null;
}
