import { useState } from 'preact/hooks';
import { hasDevnet } from '../../pay/devnet.ts';
import { Button } from '../../ui/button.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Offer } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { tokenChoices } from '../shared/currencies.ts';
import { payersOf, useDevnet } from '../shared/test-wallets.ts';
import { useChains } from '../shared/use-chains.ts';
import { makeTestCharge } from './test-charge.ts';

export interface TestChargeStepProps {
  readonly mode: Mode;
  /** The newest test offer. */
  readonly offer: Offer;
  readonly onPaid: () => void;
}

/** The first charge in test mode: by a test wallet of this machine, or by the user's own wallet at the checkout. */
export function TestChargeStep({ mode, offer, onPaid }: TestChargeStepProps) {
  const devnet = useDevnet();
  const chains = useChains(mode);
  const [chosen, setChosen] = useState<string | null>(null);
  const { isBusy, problem, act } = useAction();
  if (!hasDevnet()) return <AtTheCheckout offer={offer} onPoll={onPaid} />;
  const price = offer.pricing.find(({ active, trialDays }) => active && trialDays === null);
  const accepted = price?.acceptedTokens.map(({ tokenKey }) => tokenKey) ?? [];
  const token = tokenChoices(chains).find(
    ({ key, family }) => accepted.includes(key) && payersOf(devnet, family).length > 0,
  );
  if (devnet === null || chains.length === 0) return <p class="soft">Loading…</p>;
  if (price === undefined || token === undefined) return <AtTheCheckout offer={offer} onPoll={onPaid} />;
  const payers = payersOf(devnet, token.family);
  const payer = payers.find(({ name }) => name === chosen) ?? payers[0];
  if (payer === undefined) return null;
  const charge = async () => {
    await makeTestCharge({ mode, price, token, payer });
    onPaid();
  };
  return (
    <>
      <p>
        A test wallet of this machine buys {offer.name} for {price.amount} {price.currency}.
      </p>
      <div class="form stack">
        <Select
          label="Payer"
          value={payer.name}
          onChange={setChosen}
          options={payers.map(({ name }) => [name, name] as const)}
        />
        <p class="small soft">{payer.behaviour}</p>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <StatusRegion>{isBusy && <p>The charge is on its way to the chain. This takes some seconds.</p>}</StatusRegion>
      <div>
        <Button variant="primary" busy={isBusy} onClick={() => void act(charge)}>
          Make a test charge
        </Button>
      </div>
    </>
  );
}

function AtTheCheckout({ offer, onPoll }: { readonly offer: Offer; readonly onPoll: () => void }) {
  return (
    <>
      <p>
        Buy {offer.name} yourself: <a href={offer.checkoutUrl}>open its checkout</a> and pay with a wallet that has test
        tokens.
      </p>
      <div>
        <Button onClick={onPoll}>I have paid</Button>
      </div>
    </>
  );
}
