import type { ChainFamily } from '../../src/checkout/wire.ts';
import type { PortalChallenge, PortalSession, PortalSessionState } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import type { Problem } from '../pay/problem.ts';
import { useSteps } from '../pay/use-steps.ts';
import { useWallets } from '../pay/use-wallets.ts';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { ProblemNotice } from '../pay/views/problem-notice.tsx';
import { pageElsewhere, WalletPicker } from '../pay/views/wallet-picker.tsx';
import type { Wallet, WalletOption } from '../pay/wallets/wallet.ts';
import { useTitle } from '../ui/use-title.ts';
import { post } from './portal-api.ts';

export interface SignInProps {
  readonly chains: PortalSessionState['chains'];
  /** What the visitor has to know first; null: nothing. */
  readonly notice: Problem | null;
  readonly onOpened: (session: PortalSession) => void;
}

/** Opens a session by one signature, which moves no money. */
export function SignIn({ chains, notice, onOpened }: SignInProps) {
  const title = say('portal.sign_in');
  useTitle(title);
  const { step, problem, act, abandon } = useSteps<'signing_in'>('common.not_signed_in');
  const families = [...new Set(chains.map(({ chainFamily }) => chainFamily))];
  const evm = useWallets('evm', true, chainIdsOf('evm', chains));
  const solana = useWallets('solana', true, chainIdsOf('solana', chains));
  const options = [...evm, ...solana].filter(({ family }) => families.includes(family));
  const enter = (option: WalletOption) =>
    act('signing_in', async () => {
      const wallet = await option.connect();
      const claim = { address: wallet.address, chainId: await chainOf(wallet, chains) };
      const { message } = await post<PortalChallenge>('/challenges', claim);
      const signature = await wallet.signText(message);
      const { session } = await post<{ session: PortalSession }>('/session', { message, signature });
      wallet.leave?.();
      onOpened(session);
    });
  return (
    <main class="page page-narrow stack">
      <h1>{title}</h1>
      <p>{say('portal.sign_in_text')}</p>
      <ProblemNotice problem={notice} />
      <div class="card stack">
        <WalletPicker
          options={options}
          busy={step !== null}
          onPick={(option) => void enter(option)}
          onCancel={abandon}
          elsewhere={pageElsewhere(families[0] ?? 'evm')}
        />
        <OrderBar order={null} problem={problem} />
      </div>
    </main>
  );
}

function chainIdsOf(family: ChainFamily, chains: PortalSessionState['chains']): number[] {
  return chains.filter(({ chainFamily }) => chainFamily === family).map(({ chainId }) => chainId);
}

/**
 * The chain that confirms the signature of a contract wallet; null: the wallet is on none of this service, which is no
 * hindrance.
 */
async function chainOf(wallet: Wallet, chains: PortalSessionState['chains']): Promise<number | null> {
  for (const { chainId, chainFamily } of chains) {
    if (chainFamily === wallet.family && (await wallet.isOn({ chainId }))) return chainId;
  }
  return null;
}
