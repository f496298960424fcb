import type { Customer } from '../merchant-api.ts';
import { textOrNull } from '../offers/price-draft.ts';

/** A customer as it is typed. */
export interface CustomerDraft {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly merchantReferenceId: string;
  readonly evm: string;
  readonly solana: string;
}

export const NEW_CUSTOMER: CustomerDraft = {
  name: '',
  email: '',
  phone: '',
  merchantReferenceId: '',
  evm: '',
  solana: '',
};

export function draftOf({ name, email, phone, merchantReferenceId, wallets }: Customer): CustomerDraft {
  const walletOf = (family: string) => wallets.find(({ chainFamily }) => chainFamily === family)?.address ?? '';
  return {
    name: name ?? '',
    email: email ?? '',
    phone: phone ?? '',
    merchantReferenceId: merchantReferenceId ?? '',
    evm: walletOf('evm'),
    solana: walletOf('solana'),
  };
}

/**
 * The body of a change. It has the fields that differ; an emptied field is null. For a new customer, `before` is empty.
 */
export function changesOf(before: CustomerDraft, after: CustomerDraft): object {
  const fields = (['name', 'email', 'phone', 'merchantReferenceId'] as const).filter(
    (field) => before[field] !== after[field],
  );
  const families = (['evm', 'solana'] as const).filter((family) => before[family] !== after[family]);
  const wallets = families.map((chainFamily) => ({ chainFamily, address: textOrNull(after[chainFamily]) }));
  return {
    ...Object.fromEntries(fields.map((field) => [field, textOrNull(after[field])])),
    ...(wallets.length === 0 ? {} : { wallets }),
  };
}
