import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AcceptedToken, Challenge, Option, RequestedAllowance, Session } from '../../src/checkout/wire.ts';
import {
  type Chosen,
  draftApproval,
  offerPath,
  post,
  postInLanguage,
  requestOffer,
  type Signed,
  sessionPath,
} from '../pay/checkout-api.ts';
import type { Choice } from '../pay/choice.ts';
import { Flow, isUnderWay, type PurchaseApi } from '../pay/flow.ts';
import type { FlowState } from '../pay/flow-state.ts';
import { continueWith, note, noteChanges } from '../pay/session-memory.ts';
import type { Wallet } from '../pay/wallets/wallet.ts';
import { callApi, serviceUrl } from '../ui/api.ts';

export interface SessionFlow {
  /** null: payment is not possible now. */
  readonly flow: Flow<Session> | null;
  /** The payer has signed, so the choice is final. */
  readonly isSigned: boolean;
  /** A wallet request or a call of the service is under way; the choice must not change meanwhile. */
  readonly isAsking: boolean;
}

/**
 * The flow of the present choice. Another choice makes another flow, with the same wallet; `payToken` null: payment is
 * not possible.
 */
export function useSessionFlow(
  input: Omit<SessionApiInput, 'payToken' | 'isSigned'> & { readonly payToken: SessionApiInput['payToken'] | null },
  session: Session | null,
): SessionFlow {
  const { payToken, option, tokenKey, quantity, coupon, sessionKey } = input;
  const isPayable = payToken !== null;
  const flow = useMemo(() => {
    if (payToken === null) return null;
    return new Flow(sessionApi({ ...input, payToken, isSigned: session !== null }), session);
  }, [option.id, tokenKey, quantity, coupon, sessionKey, session === null, isPayable]);
  const carried = useRef<Wallet | null>(null);
  useEffect(() => {
    const wallet = carried.current;
    if (flow !== null && wallet !== null && wallet.family === payToken?.chainFamily) void flow.join(wallet);
    return () => {
      carried.current = flow?.store.getSnapshot().context.wallet ?? null;
      flow?.stop();
    };
  }, [flow]);
  const hadFlow = useRef(false);
  useEffect(() => {
    if (flow === null) return;
    const chosen = { sessionKey, ...chosenIn(input) };
    // The stored note belongs to the price or token of the previous flow.
    if (hadFlow.current) note(input.offerId, { ...chosen, choice: flow.store.getSnapshot().context.choice });
    hadFlow.current = true;
    return noteChanges(flow, input.offerId, chosen);
  }, [flow]);
  const isSigned = useOf(flow, (state) => state.isSigned);
  const isAsking = useOf(flow, ({ doing }) => doing !== null && doing !== 'connecting');
  return { flow, isSigned, isAsking };
}

function useOf(flow: Flow<Session> | null, select: (state: FlowState<Session>) => boolean): boolean {
  const [selected, setSelected] = useState(false);
  useEffect(() => {
    setSelected(flow !== null && select(flow.store.getSnapshot().context));
    const subscription = flow?.store.subscribe(({ context }) => setSelected(select(context)));
    return () => subscription?.unsubscribe();
  }, [flow]);
  return selected;
}

export interface SessionApiInput {
  readonly offerId: string;
  readonly sessionKey: string;
  readonly option: Pick<Option, 'id' | 'billing'>;
  readonly tokenKey: string;
  /** Absent: the price is fixed. */
  readonly quantity?: number;
  /** Absent: the full price. */
  readonly coupon?: string;
  readonly payToken: Pick<RequestedAllowance, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  /** The signature of this tab; null: none. */
  readonly signed: Signed | null;
  readonly isSigned: boolean;
  readonly choice?: Choice;
  /** The fields, read at the moment of the signature. */
  readonly collected: () => { readonly [key: string]: string };
  /** The service has refused; the offer may have changed. */
  readonly onRefused: () => void;
}

/** The choice, as requests have it. */
function chosenIn(input: Pick<SessionApiInput, 'option' | 'tokenKey' | 'quantity' | 'coupon'>): Chosen {
  const { option, tokenKey, quantity, coupon } = input;
  const varied = { ...(quantity === undefined ? {} : { quantity }), ...(coupon === undefined ? {} : { coupon }) };
  return { priceId: option.id, tokenKey, ...varied };
}

/** A subscription to an offer, or a single payment. */
function sessionApi(input: SessionApiInput): PurchaseApi<Session> {
  const { offerId, sessionKey, option, payToken, signed, isSigned, choice } = input;
  const chosen = chosenIn(input);
  const kind = option.billing.type === 'one_time' ? 'payments' : 'subscriptions';
  return {
    payToken,
    signed,
    isSigned,
    ...(choice === undefined ? {} : { choice }),
    challenge: (address) =>
      post<Challenge>(`${offerPath(offerId)}/challenges`, { address, ...chosen }).catch((error: unknown) => {
        input.onRefused();
        throw error;
      }),
    request: (address) => requestOffer(offerId, { address, ...chosen }),
    open: async (agreed, permit) => {
      const collected = input.collected();
      continueWith(offerId, { sessionKey, ...chosen, collected, signed: agreed });
      const body = { sessionKey, ...chosen, collected, ...agreed, ...(permit === null ? {} : { permit }) };
      // Repeated calls with one key return the same session.
      return postInLanguage<Session>(`${offerPath(offerId)}/${kind}`, body).catch((error: unknown) => {
        if (permit === null) input.onRefused();
        throw error;
      });
    },
    poll: () => callApi(sessionPath(sessionKey)),
    proofUrl: serviceUrl(`${sessionPath(sessionKey)}/proof`),
    draftApproval: (address, value) => draftApproval(sessionPath(sessionKey), address, value),
    isOpen: isUnderWay,
    signerOf: ({ wallet }) => wallet,
  };
}

/** null: no enabled chain plays the token. */
export function payTokenOf(token: AcceptedToken): SessionApiInput['payToken'] | null {
  const { playing, chainFamily, ticker, operator } = token;
  return playing === null || operator === null ? null : { playing, chainFamily, ticker, operator };
}
