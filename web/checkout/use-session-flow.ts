import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Session } from '../../src/checkout/wire.ts';
import { Flow } from '../pay/flow.ts';
import type { FlowState } from '../pay/flow-state.ts';
import { note, rememberedOf } from '../pay/session-memory.ts';
import type { Wallet } from '../pay/wallets/wallet.ts';
import { type SessionDealInput, sessionDeal } from './deal.ts';

export interface SessionFlow {
  /** null: it cannot be paid at the moment. */
  readonly flow: Flow<Session> | null;
  /** What is to be signed has been: nothing else can be chosen any more. */
  readonly isSigned: boolean;
  /** The wallet is asked about what is chosen, or it is handed in: that has to stay what it is. */
  readonly isAsking: boolean;
}

/**
 * The flow of what is chosen now. When something else is chosen it is another one, with the wallet of the one before; `place`
 * null: it cannot be paid.
 */
export function useSessionFlow(
  input: Omit<SessionDealInput, 'place' | 'isSigned'> & { readonly place: SessionDealInput['place'] | null },
  session: Session | null,
): SessionFlow {
  const { place, option, tokenKey, sessionKey } = input;
  const isPayable = place !== null;
  const flow = useMemo(() => {
    if (place === null) return null;
    return new Flow(sessionDeal({ ...input, place, isSigned: session !== null }), session);
  }, [option.id, tokenKey, sessionKey, session === null, isPayable]);
  const carried = useRef<Wallet | null>(null);
  useEffect(() => {
    const wallet = carried.current;
    if (flow !== null && wallet !== null && wallet.family === place?.chainFamily) void flow.join(wallet);
    return () => {
      carried.current = flow?.store.getSnapshot().context.wallet ?? null;
      flow?.stop();
    };
  }, [flow]);
  const hadFlow = useRef(false);
  useEffect(() => {
    if (flow === null) return;
    let before = flow.store.getSnapshot().context;
    // What is kept of the one before is of another price or token.
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
