import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from '../../src/checkout/wire.ts';
import { Flow } from '../pay/flow.ts';
import type { FlowState } from '../pay/flow-state.ts';
import { note, rememberedOf } from '../pay/session-memory.ts';
import type { Wallet } from '../pay/wallets/wallet.ts';
import { type SessionApiInput, sessionApi } from './session-api.ts';

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
  const { payToken, option, tokenKey, sessionKey } = input;
  const isPayable = payToken !== null;
  const flow = useMemo(() => {
    if (payToken === null) return null;
    return new Flow(sessionApi({ ...input, payToken, isSigned: session !== null }), session);
  }, [option.id, tokenKey, sessionKey, session === null, isPayable]);
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
    let before = flow.store.getSnapshot().context;
    // The stored note belongs to the price or token of the previous flow.
    if (hadFlow.current) note(input.offerId, { sessionKey, priceId: option.id, tokenKey, choice: before.choice });
    hadFlow.current = true;
    const subscription = flow.store.subscribe(({ context }) => {
      const { choice, wallet } = context;
      const chosen = { priceId: option.id, tokenKey, choice };
      if (choice !== before.choice) note(input.offerId, { sessionKey, ...chosen });
      if (wallet !== before.wallet) note(input.offerId, { sessionKey, wallet: wallet && rememberedOf(wallet) });
      before = context;
    });
    return () => subscription.unsubscribe();
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
