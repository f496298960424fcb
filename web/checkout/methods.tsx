import type { Offer, Option } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { isPhone } from '../pay/is-phone.ts';
import { RadioCard } from '../pay/views/radio-card.tsx';
import type { WalletOption } from '../pay/wallets/wallet.ts';

export type Method = 'wallet' | 'transfer';

/** A transfer pays only once. An offer's `allowedPaymentMethods` can exclude either method. */
export function methodsOf(
  { allowedPaymentMethods }: Pick<Offer, 'allowedPaymentMethods'>,
  { billing }: Pick<Option, 'billing'>,
): Method[] {
  const allows = (name: string) => allowedPaymentMethods[name] !== false;
  return [
    ...(allows('wallet_connect') ? ['wallet' as const] : []),
    ...(billing.type === 'one_time' && allows('wallet_transfer') ? ['transfer' as const] : []),
  ];
}

/** The wanted method. Until there is one: a transfer on a phone whose browser has no wallet, otherwise the first. */
export function methodFor(
  methods: readonly Method[],
  wanted: Method | null,
  wallets: readonly Pick<WalletOption, 'kind'>[],
): Method {
  if (wanted !== null && methods.includes(wanted)) return wanted;
  const hasWallet = wallets.some(({ kind }) => kind === 'extension');
  return isPhone() && !hasWallet && methods.includes('transfer') ? 'transfer' : (methods[0] ?? 'wallet');
}

export interface ChooseMethodProps {
  readonly methods: readonly Method[];
  readonly chosen: Method;
  readonly disabled: boolean;
  readonly wallets: readonly Pick<WalletOption, 'kind'>[];
  readonly onChoose: (method: Method) => void;
}

export function ChooseMethod({ methods, chosen, disabled, wallets, onChoose }: ChooseMethodProps) {
  const isRemote = wallets.some(({ kind }) => kind === 'walletconnect');
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>{say('checkout.payment_method')}</legend>
      {methods.map((method) => (
        <RadioCard key={method} name="method" checked={method === chosen} onChoose={() => onChoose(method)}>
          <span>
            {say(method === 'wallet' && isRemote ? 'checkout.method_any_wallet' : `checkout.method_${method}`)}
          </span>
        </RadioCard>
      ))}
    </fieldset>
  );
}
