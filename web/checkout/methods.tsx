import type { Offer, Option } from '../../src/checkout/wire.ts';
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

const TITLES: { readonly [M in Method]: string } = {
  wallet: 'A wallet in this browser',
  transfer: 'A transfer from any wallet or exchange',
};

export interface ChooseMethodProps {
  readonly methods: readonly Method[];
  readonly chosen: Method;
  readonly disabled: boolean;
  readonly onChoose: (method: Method) => void;
}

export function ChooseMethod({ methods, chosen, disabled, onChoose }: ChooseMethodProps) {
  return (
    <fieldset class="stack-tight" disabled={disabled}>
      <legend>Payment method</legend>
      {methods.map((method) => (
        <RadioCard key={method} name="method" checked={method === chosen} onChoose={() => onChoose(method)}>
          <span>{TITLES[method]}</span>
        </RadioCard>
      ))}
    </fieldset>
  );
}
