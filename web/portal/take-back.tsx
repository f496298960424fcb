import { useEffect, useMemo } from 'preact/hooks';
import type { RequestedAllowance } from '../../src/checkout/wire.ts';
import type { PortalDetail } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import { Flow, type PurchaseApi } from '../pay/flow.ts';
import type { Problem } from '../pay/problem.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { Revoke } from '../pay/views/revoke.tsx';
import { pageElsewhere, WalletPicker } from '../pay/views/wallet-picker.tsx';
import { useSelector } from '../ui/use-selector.ts';
import { get, pathOf, post } from './portal-api.ts';

export interface TakeBackProps {
  readonly detail: PortalDetail;
  readonly allowance: RequestedAllowance;
  /** A transaction has landed. */
  readonly onDone: () => void;
  /** Shows the answer to the last tap; null: there is nothing to say. */
  readonly onProblem: (problem: Problem | null) => void;
}

/** The wallet's own transactions that make further charges impossible, as the checkout offers them. */
export function TakeBack({ detail, allowance, onDone, onProblem }: TakeBackProps) {
  const flow = useMemo(() => new Flow(revocationApi(detail, allowance), detail), [detail.id]);
  useEffect(() => () => flow.stop(), [flow]);
  const state = useSelector(flow.store, (context) => context);
  const wallets = useWallets(allowance.chainFamily, detail.isSandbox, [allowance.playing.chainId]);
  const { done, problem, doing } = state;
  useEffect(() => {
    if (done.length > 0) onDone();
  }, [done]);
  useEffect(() => onProblem(problem), [problem]);
  const picker = (
    <WalletPicker
      options={wallets}
      busy={doing === 'connecting'}
      onPick={(option) => void flow.connect(option)}
      onCancel={() => flow.disconnect()}
      elsewhere={pageElsewhere(allowance.chainFamily)}
    />
  );
  return (
    <details data-part="take-back">
      <summary>{say('portal.take_back', { merchant: detail.merchantName })}</summary>
      <div class="stack">
        <Revoke {...{ flow, state, purchase: detail, allowance, picker }} />
      </div>
    </details>
  );
}

/** Nothing is signed or approved here, so that part of the API never happens. */
function revocationApi(detail: PortalDetail, allowance: RequestedAllowance): PurchaseApi<PortalDetail> {
  const path = pathOf(detail.id);
  return {
    payToken: allowance,
    signed: null,
    isSigned: true,
    challenge: neverHere,
    request: neverHere,
    open: neverHere,
    poll: () => get(path),
    proofUrl: null,
    draftApproval: async (address) =>
      (await post<{ transaction: string }>(`${path}/revocation`, { address })).transaction,
    isOpen: () => false,
    signerOf: ({ payerWallet }) => payerWallet,
  };
}

function neverHere(): Promise<never> {
  return Promise.reject(new Error('nothing is authorized in the portal'));
}
