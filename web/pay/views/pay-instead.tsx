import { useEffect, useState } from 'preact/hooks';
import { say } from '../../i18n/say.ts';
import { Button } from '../../ui/button.tsx';
import { money } from '../../ui/decimal.ts';
import type { Alternative, Alternatives } from '../alternatives.ts';

export interface PayInsteadProps {
  readonly alternatives: Alternatives;
  readonly address: string;
}

/** What the wallet holds enough of, each as a button that chooses it; nothing while none is known. */
export function PayInstead({ alternatives, address }: PayInsteadProps) {
  const [found, setFound] = useState<readonly Alternative[]>([]);
  useEffect(() => {
    let isOver = false;
    // Without an answer there is nothing to offer; the missing amount can still be sent.
    void alternatives.find(address).then(
      (all) => isOver || setFound(all),
      () => {},
    );
    return () => {
      isOver = true;
    };
  }, [address]);
  return found.map(({ tokenKey, ticker, network, balance }) => (
    <Button key={tokenKey} onClick={() => alternatives.choose(tokenKey)}>
      {say('top_up.pay_instead', { balance: money(balance, ticker), network })}
    </Button>
  ));
}
