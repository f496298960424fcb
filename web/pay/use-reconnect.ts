import { useEffect, useRef } from 'preact/hooks';
import type { Flow } from './flow.ts';
import type { Purchase } from './purchase.ts';
import type { RememberedWallet } from './session-memory.ts';
import type { WalletOption } from './wallets/wallet.ts';

/** Reconnects the wallet used before the reload, if it needs no confirmation. */
export function useReconnect<S extends Purchase>(
  flow: Flow<S> | null,
  wallets: readonly WalletOption[],
  remembered: RememberedWallet | null,
): void {
  const isTried = useRef(false);
  useEffect(() => {
    if (flow === null || remembered === null || isTried.current) return;
    const { family, name, address } = remembered;
    const option = wallets.find((each) => each.family === family && each.connects(name));
    if (option === undefined) return;
    isTried.current = true;
    if (flow.store.getSnapshot().context.wallet === null) void flow.reconnect(option, address);
  }, [flow, wallets, remembered]);
}
