import { Field } from '../../ui/field.tsx';
import type { CustomerDraft } from './customer-draft.ts';

export interface CustomerFieldsProps {
  readonly draft: CustomerDraft;
  readonly onChange: (change: Partial<CustomerDraft>) => void;
}

/** The fields of a customer; each may be empty. */
export function CustomerFields({ draft, onChange }: CustomerFieldsProps) {
  return (
    <>
      <Field label="Name" value={draft.name} onInput={(name) => onChange({ name })} />
      <Field label="E-mail" type="email" value={draft.email} onInput={(email) => onChange({ email })} />
      <Field label="Phone" type="tel" value={draft.phone} onInput={(phone) => onChange({ phone })} />
      <Field
        label="Your id"
        hint="Your own name for the customer."
        value={draft.merchantReferenceId}
        onInput={(merchantReferenceId) => onChange({ merchantReferenceId })}
      />
      <Field
        label="EVM wallet"
        hint="May be empty: a wallet is linked when the customer authorizes a charge."
        value={draft.evm}
        onInput={(evm) => onChange({ evm })}
      />
      <Field label="Solana wallet" value={draft.solana} onInput={(solana) => onChange({ solana })} />
    </>
  );
}
