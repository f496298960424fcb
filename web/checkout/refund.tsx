import { useState } from 'preact/hooks';
import type { Deposit } from '../../src/checkout/wire.ts';
import { say } from '../i18n/say.ts';
import { needsRefundAddress, unusedSentence } from '../pay/sentences.ts';
import { ProblemNotice } from '../pay/views/problem-notice.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useRefundAddress } from './use-refund-address.ts';

export interface RefundPartProps {
  readonly deposit: Deposit;
  readonly name: (refundWallet: string) => Promise<void>;
}

/** The money that the payment does not use, and the address that it goes to, which the payer can name and correct. */
export function RefundPart({ deposit, name }: RefundPartProps) {
  const { refundWallet, unused } = deposit;
  const [isEditing, setEditing] = useState(false);
  const isNeeded = unused.some(needsRefundAddress);
  return (
    <div class="stack-tight" data-part="refund">
      {unused.length > 0 && (
        <Notice tone={isNeeded ? 'warn' : 'plain'} title={say('refund.unused')}>
          {unused.map((money) => (
            <p key={JSON.stringify(money)}>{unusedSentence(money)}</p>
          ))}
        </Notice>
      )}
      {isEditing || isNeeded ? (
        <RefundForm name={name} onDone={() => setEditing(false)} />
      ) : (
        <>
          <p class="small soft">{say(refundWallet === null ? 'refund.no_address' : 'refund.goes_to')}</p>
          {refundWallet !== null && <p class="code small">{refundWallet}</p>}
          <div class="row">
            <Button size="small" onClick={() => setEditing(true)}>
              {say(refundWallet === null ? 'refund.name_address' : 'refund.change_address')}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

function RefundForm({ name, onDone }: { readonly name: RefundPartProps['name']; readonly onDone: () => void }) {
  const save = (address: string) => name(address).then(onDone);
  const { address, field, problem, busy, send } = useRefundAddress(save);
  return (
    <>
      <Field {...field} label={say('refund.address_label')} hint={say('refund.address_hint')} />
      <div class="row">
        <Button busy={busy} disabled={address.trim() === ''} onClick={() => void send()}>
          {say('refund.save_address')}
        </Button>
      </div>
      <ProblemNotice problem={problem} />
    </>
  );
}
