import { useId, useState } from 'preact/hooks';
import { priceOf } from '../../pay/words.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { dashboardApi } from '../dashboard-api.ts';
import type { Chain, Offer, PricingOption } from '../merchant-api.ts';
import { go, hrefOf, type Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { NEW_PRICE, pricingInput, textOrNull } from './price-draft.ts';
import { PriceFields } from './price-fields.tsx';

interface OfferDialogProps {
  readonly mode: Mode;
  readonly offer: Offer;
  readonly reload: () => void;
  readonly onClose: () => void;
}

export function EditOffer({ mode, offer, reload, onClose }: OfferDialogProps) {
  const id = useId();
  const [name, setName] = useState(offer.name);
  const [description, setDescription] = useState(offer.description ?? '');
  const [active, setActive] = useState(offer.active);
  const save = async () => {
    const body = { name, description: textOrNull(description), active };
    await dashboardApi(`/${mode}/offers/${offer.id}`, { method: 'PATCH', body });
    toast('Saved.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Edit the offer" action="Save" run={save} onClose={onClose}>
      <Field label="Name" required value={name} onInput={setName} />
      <div class="field">
        <label for={id}>Description</label>
        <textarea id={id} rows={4} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </div>
      <Select
        label="State"
        value={String(active)}
        onChange={(value) => setActive(value === 'true')}
        options={[
          ['true', 'Active'],
          ['false', 'Inactive: no new checkouts, subscriptions keep billing'],
        ]}
      />
    </ActionDialog>
  );
}

export function DeleteOffer({ mode, offer, onClose }: OfferDialogProps) {
  const remove = async () => {
    await dashboardApi(`/${mode}/offers/${offer.id}`, { method: 'DELETE' });
    toast('The offer is deleted.', 'good');
    go(hrefOf(mode, 'offers'));
  };
  return (
    <ActionDialog title="Delete the offer" action="Delete for good" isDanger run={remove} onClose={onClose}>
      <p>
        {offer.name} is gone for good, and its checkout link stops to work. An offer with live subscriptions cannot be
        deleted: make it inactive instead.
      </p>
    </ActionDialog>
  );
}

export function AddPrice({
  mode,
  offer,
  chains,
  reload,
  onClose,
}: OfferDialogProps & { readonly chains: readonly Chain[] }) {
  const [price, setPrice] = useState(NEW_PRICE);
  const add = async () => {
    await dashboardApi(`/${mode}/offers/${offer.id}/pricing`, { method: 'POST', body: pricingInput(price) });
    toast('The price is added.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Add a price" action="Add the price" run={add} onClose={onClose}>
      <PriceFields
        draft={price}
        onChange={(change) => setPrice((before) => ({ ...before, ...change }))}
        chains={chains}
      />
    </ActionDialog>
  );
}

export function RetirePrice({
  mode,
  offer,
  option,
  reload,
  onClose,
}: OfferDialogProps & { readonly option: PricingOption }) {
  const retire = async () => {
    await dashboardApi(`/${mode}/offers/${offer.id}/pricing/${option.id}`, { method: 'DELETE' });
    toast('The price is retired.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Retire the price" action="Retire the price" isDanger run={retire} onClose={onClose}>
      <p>{priceOf(option)} takes no new subscriptions. Existing ones keep billing. This cannot be undone.</p>
    </ActionDialog>
  );
}
