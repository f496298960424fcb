import { Fields, useValues } from '../../ui/fields.tsx';
import { post } from '../dashboard-api.ts';
import type { Offer } from '../merchant-api.ts';
import { go, hrefOf, type Mode } from '../route.ts';
import { CreatePage } from '../shared/resource-page.tsx';
import { useChains } from '../shared/use-chains.ts';
import { PriceFields, textOrNull, usePriceDraft } from './price-form.tsx';

const FIELDS = [
  { name: 'name', label: 'Name', required: true },
  { name: 'description', label: 'Description', hint: 'Shown at checkout. May be empty.' },
  {
    name: 'identifier',
    label: 'Identifier',
    hint: 'Your own short name, unique among your offers. May be empty.',
  },
] as const;

/** A new offer with its first price; more prices can follow on its page. */
export function NewOffer({ mode }: { readonly mode: Mode }) {
  const chains = useChains(mode);
  const { values, onChange } = useValues({ name: '', description: '', identifier: '' });
  const price = usePriceDraft();
  const create = async () => {
    const { name, description, identifier } = values;
    const body = {
      name,
      description: textOrNull(description),
      identifier: textOrNull(identifier),
      pricing: [price.input()],
    };
    const { id } = await post<Offer>(`/${mode}/offers`, body);
    go(hrefOf(mode, 'offers', id));
  };
  return (
    <CreatePage mode={mode} list="offers" title="Create an offer" action="Create the offer" run={create}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
      <PriceFields draft={price} chains={chains} />
    </CreatePage>
  );
}
