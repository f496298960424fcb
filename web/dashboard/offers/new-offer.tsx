import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dashboardApi } from '../dashboard-api.ts';
import type { Offer } from '../merchant-api.ts';
import { go, hrefOf, type Mode } from '../route.ts';
import { useChains } from '../shared/currencies.ts';
import { NEW_PRICE, pricingInput, textOrNull } from './price-draft.ts';
import { PriceFields } from './price-fields.tsx';

/** A new offer with its first price; more prices can follow on its page. */
export function NewOffer({ mode }: { readonly mode: Mode }) {
  useTitle('Create an offer', 'Tideline dashboard');
  const chains = useChains(mode);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [identifier, setIdentifier] = useState('');
  const [price, setPrice] = useState(NEW_PRICE);
  const create = async () => {
    const body = {
      name,
      description: textOrNull(description),
      identifier: textOrNull(identifier),
      pricing: [pricingInput(price)],
    };
    const { id } = await dashboardApi<Offer>(`/${mode}/offers`, { method: 'POST', body });
    go(hrefOf(mode, 'offers', id));
  };
  return (
    <>
      <h1>Create an offer</h1>
      <ActionForm
        class="card stack form"
        action="Create the offer"
        run={create}
        beside={<a href={hrefOf(mode, 'offers')}>All offers</a>}
      >
        <Field label="Name" required value={name} onInput={setName} />
        <Field
          label="Description"
          hint="Shown at checkout. May be empty."
          value={description}
          onInput={setDescription}
        />
        <Field
          label="Identifier"
          hint="Your own short name, unique among your offers. May be empty."
          value={identifier}
          onInput={setIdentifier}
        />
        <PriceFields
          draft={price}
          onChange={(change) => setPrice((before) => ({ ...before, ...change }))}
          chains={chains}
        />
      </ActionForm>
    </>
  );
}
