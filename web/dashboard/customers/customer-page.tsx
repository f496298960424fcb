import { useState } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { patch, post, remove, useLoad, useRole } from '../dashboard-api.ts';
import { OwnLetters } from '../letters/own-letters.tsx';
import type { Customer, PortalSession } from '../merchant-api.ts';
import { go, hrefOf, type Mode, type ResourceProps } from '../route.ts';
import { paymentColumns, subscriptionColumns, without } from '../shared/columns.tsx';
import { Latest } from '../shared/latest.tsx';
import { Moment } from '../shared/moment.tsx';
import { ResourcePage } from '../shared/resource-page.tsx';
import { useChains } from '../shared/use-chains.ts';
import { CUSTOMER_FIELDS, changesOf, draftOf } from './customer-form.tsx';

const FAMILIES = { evm: 'EVM wallet', solana: 'Solana wallet' } as const;

export function CustomerPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<Customer>(`/${mode}/customers/${id}`);
  const chains = useChains(mode);
  const title = loaded.value?.name ?? loaded.value?.email ?? 'Customer';
  return (
    <ResourcePage mode={mode} list="customers" loaded={loaded} title={title}>
      {(customer) => (
        <>
          <CustomerActions mode={mode} customer={customer} reload={loaded.reload} />
          <Details customer={customer} />
          <Latest
            mode={mode}
            list="subscriptions"
            of={{ customerId: id }}
            columns={without(subscriptionColumns(mode), 'Customer')}
            empty="The customer has no subscription."
          />
          <Latest
            mode={mode}
            list="payments"
            of={{ customerId: id }}
            columns={without(paymentColumns(mode, chains), 'Customer')}
            empty="The customer has no payment."
          />
          <OwnLetters
            key={customer.email}
            mode={mode}
            about={id}
            {...(customer.email === null ? {} : { customerId: id })}
          />
        </>
      )}
    </ResourcePage>
  );
}

function Details({ customer }: { readonly customer: Customer }) {
  return (
    <Panel title="Details" look="stack-tight">
      <Facts
        facts={[
          ['Id', <Copyable what="id" text={customer.id} />],
          ['Name', customer.name],
          ['E-mail', customer.email],
          ['Phone', customer.phone],
          ['Your id', customer.merchantReferenceId],
          ['Address', customer.address && <span class="typed">{customer.address}</span>],
          ['Country', customer.country],
          ['Tax number', customer.taxId],
          ...customer.wallets.map(
            ({ chainFamily, address }) =>
              [FAMILIES[chainFamily], <Copyable what={FAMILIES[chainFamily]} text={address} />] as const,
          ),
          ['Created', <Moment at={customer.createdAt} />],
        ]}
      />
      {customer.wallets.length === 0 && (
        <p class="soft">No wallet yet. One is linked when the customer authorizes a charge.</p>
      )}
    </Panel>
  );
}

interface CustomerActionsProps {
  readonly mode: Mode;
  readonly customer: Customer;
  readonly reload: () => void;
}

function CustomerActions({ mode, customer, reload }: CustomerActionsProps) {
  const [portal, setPortal] = useState<PortalSession | null>(null);
  const { ask, askFor, dialog } = useQuestion();
  const { isBusy, problem, act } = useAction();
  if (!useRole('member')) return null;
  const path = `/${mode}/customers/${customer.id}` as const;
  const link = async () => setPortal(await post<PortalSession>(`${path}/portal-session`));
  const edit = () =>
    askFor({
      title: 'Edit the customer',
      action: 'Save',
      fields: CUSTOMER_FIELDS,
      first: draftOf(customer),
      done: 'Saved.',
      run: (draft) => patch(path, changesOf(draftOf(customer), draft)).then(reload),
    });
  const askToDelete = () =>
    ask({
      title: 'Delete the customer',
      action: 'Delete for good',
      isDanger: true,
      text: (
        <>
          This cancels every live subscription of the customer, and clears name, e-mail address and phone. Payments are
          kept.
        </>
      ),
      done: 'The customer is deleted.',
      run: () => remove(path).then(() => go(hrefOf(mode, 'customers'))),
    });
  return (
    <>
      <div class="row">
        <a class="button button-primary" href={hrefOf(mode, 'subscriptions', 'new', { customerId: customer.id })}>
          Create a subscription
        </a>
        <Button busy={isBusy} onClick={() => void act(link)}>
          Portal link
        </Button>
        <Button onClick={edit}>Edit</Button>
        <Button variant="danger" onClick={askToDelete}>
          Delete
        </Button>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {portal !== null && (
        <Notice tone="good" title="Portal link" isStep>
          <p>
            <Copyable what="portal link" text={portal.url} />
          </p>
          <p>
            It opens the customer's subscriptions until <Moment at={portal.expiresAt} />. Whoever has it can end them.
            It is shown only now.
          </p>
        </Notice>
      )}
      {dialog}
    </>
  );
}
