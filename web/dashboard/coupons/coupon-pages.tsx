import { discountText } from '../../pay/discount.ts';
import { serviceNow } from '../../ui/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fields, type FormField, useValues } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { patch, post, useLoad, useRole } from '../dashboard-api.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Coupon, Coupons, Redemptions } from '../merchant-api.ts';
import { textOrNull, wholeOrNull, wrongWhole } from '../offers/price-form.tsx';
import { useOffers } from '../offers/use-offers.ts';
import { go, hrefOf, type Mode, type ResourceProps, type Route } from '../route.ts';
import { Named, WithNames } from '../shared/columns.tsx';
import { Moment } from '../shared/moment.tsx';
import { CreatePage, ResourcePage } from '../shared/resource-page.tsx';
import { OfferState } from '../shared/state-badges.tsx';

export function CouponList({ route }: { readonly route: Route }) {
  return (
    <ListPage<Coupons, Coupon>
      route={route}
      create="Create a coupon"
      filters={[{ name: 'code', label: 'Code' }]}
      rowsOf={({ coupons }) => coupons}
      columns={{
        Coupon: (coupon) => <a href={hrefOf(route.mode, 'coupons', coupon.id)}>{nameOf(coupon)}</a>,
        Takes: takesText,
        Redeemed: { number: redeemedText },
        State: CouponState,
        Created: ({ createdAt }) => <Moment at={createdAt} />,
      }}
      empty="There are no coupons yet. Payers type the code of one at the checkout, and pay less."
    />
  );
}

function nameOf({ code }: Coupon): string {
  return code ?? 'Without a code';
}

/** Whether it can be redeemed, and if not, why. */
function CouponState({ active, expiresAt, redemptions, maxRedemptions }: Coupon) {
  if (active && expiresAt !== null && Date.parse(expiresAt) <= serviceNow()) return <Badge>Expired</Badge>;
  if (active && maxRedemptions !== null && redemptions >= maxRedemptions) return <Badge>Used up</Badge>;
  return <OfferState active={active} />;
}

function takesText({ cycles, ticker, ...coupon }: Coupon): string {
  return discountText({ ...coupon, cyclesLeft: cycles }, ticker ?? '');
}

function redeemedText({ redemptions, maxRedemptions: most }: Coupon): string {
  return most === null ? `${redemptions}` : `${redemptions} of ${most}`;
}

export function CouponPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<Coupon>(`/${mode}/coupons/${id}`);
  const redeemed = useLoad<Redemptions>(`/${mode}/coupons/${id}/redemptions?limit=100`);
  const mayAct = useRole('member');
  const { isBusy, problem, act } = useAction();
  const { value, reload } = loaded;
  const setActive = (active: boolean) => void act(() => patch(`/${mode}/coupons/${id}`, { active }).then(reload));
  const badge = value && <CouponState {...value} />;
  return (
    <ResourcePage {...{ mode, loaded, badge }} list="coupons" title={value ? nameOf(value) : 'Coupon'}>
      {(coupon) => (
        <>
          {mayAct && (
            <div class="row">
              <Button busy={isBusy} onClick={() => setActive(!coupon.active)}>
                {coupon.active ? 'End it' : 'Let it be redeemed again'}
              </Button>
            </div>
          )}
          {problem !== null && <Notice tone="bad">{problem}</Notice>}
          <Details mode={mode} coupon={coupon} />
          <h2>Redemptions</h2>
          <WhenLoaded loaded={redeemed}>
            {({ redemptions, hasMore }) => (
              <WithNames mode={mode} rows={redemptions}>
                <Table
                  caption="Redemptions"
                  isFolding
                  rows={redemptions}
                  columns={{
                    Customer: ({ customerId }) => <Named mode={mode} page="customers" id={customerId} />,
                    For: (row) => <RedeemedFor mode={mode} row={row} />,
                    Redeemed: ({ redeemedAt }) => <Moment at={redeemedAt} />,
                    'Given back': ({ releasedAt }) => (releasedAt === null ? '–' : <Moment at={releasedAt} />),
                  }}
                  empty="Nobody has redeemed it yet."
                />
                {hasMore && <p class="soft">The newest 100. The API lists all.</p>}
              </WithNames>
            )}
          </WhenLoaded>
        </>
      )}
    </ResourcePage>
  );
}

function RedeemedFor({ mode, row }: { readonly mode: Mode; readonly row: Redemptions['redemptions'][number] }) {
  const { subscriptionId, paymentId } = row;
  if (subscriptionId !== null) return <Named mode={mode} page="subscriptions" id={subscriptionId} />;
  return paymentId === null ? <>A payment</> : <Named mode={mode} page="payments" id={paymentId} />;
}

function Details({ mode, coupon }: { readonly mode: Mode; readonly coupon: Coupon }) {
  const { code, offerIds, firstTimeOnly, expiresAt, createdAt } = coupon;
  const offers = offerIds?.map((offerId) => ({ offerId })) ?? [];
  return (
    <Panel title="Details" look="stack-tight">
      <WithNames mode={mode} rows={offers}>
        <Facts
          facts={[
            ['Takes', takesText(coupon)],
            ['Redeemed', redeemedText(coupon)],
            ['Offers', offerIds?.map((id) => <Named key={id} mode={mode} page="offers" id={id} />) ?? 'All'],
            ['Customers', firstTimeOnly ? 'Who have paid nothing yet' : 'All'],
            ['Ends', expiresAt === null ? 'Never' : <Moment at={expiresAt} />],
            ['Link', code && `Add ?coupon=${code} to the checkout link of an offer.`],
            ['Created', <Moment at={createdAt} />],
          ]}
        />
      </WithNames>
    </Panel>
  );
}

const NEW_COUPON = {
  ...{ code: '', kind: 'percent', percentOff: '', amountOff: '', ticker: 'USDC', duration: 'cycles', cycles: '1' },
  ...{ maxRedemptions: '', expiresAt: '', offerId: '', firstTimeOnly: 'no' },
};
type Draft = typeof NEW_COUPON;

const isAmount = ({ kind }: { readonly kind?: string }) => kind === 'amount';
const whole = { inputMode: 'numeric', check: wrongWhole } as const;
const decimal = { inputMode: 'decimal', required: true } as const;
const choice = (...options: readonly (readonly [string, string])[]) => ({ options });

const FIELDS: readonly FormField<keyof Draft>[] = [
  { name: 'code', label: 'Code', placeholder: 'WELCOME', hint: 'Empty: payers cannot type it, only you set it.' },
  { name: 'kind', label: 'It takes off', ...choice(['percent', 'a part of each charge'], ['amount', 'an amount']) },
  { name: 'percentOff', label: 'Percent', placeholder: '25', ...decimal, isShown: (draft) => !isAmount(draft) },
  { name: 'amountOff', label: 'Amount', placeholder: '5.00', ...decimal, isShown: isAmount },
  { name: 'ticker', label: 'Token', required: true, hint: 'It lowers charges in this token.', isShown: isAmount },
  { name: 'duration', label: 'For', ...choice(['cycles', 'the first charges'], ['forever', 'every charge']) },
  {
    name: 'cycles',
    label: 'Charges',
    required: true,
    hint: 'A one-time price has one.',
    ...whole,
    isShown: ({ duration }) => duration === 'cycles',
  },
  { name: 'maxRedemptions', label: 'Most redemptions', placeholder: 'No limit', ...whole },
  { name: 'expiresAt', label: 'Last day (UTC)', type: 'date', hint: 'May be empty.' },
  { name: 'firstTimeOnly', label: 'Customers', ...choice(['no', 'All'], ['yes', 'Who have paid nothing yet']) },
];

export function NewCoupon({ mode }: { readonly mode: Mode }) {
  const { values, onChange } = useValues(NEW_COUPON);
  const offers = (useOffers(mode) ?? []).map(({ id, name }) => [id, name] as const);
  const fields: typeof FIELDS = [...FIELDS, { name: 'offerId', label: 'Offer', ...choice(['', 'All'], ...offers) }];
  const create = async () => {
    const { id } = await post<Coupon>(`/${mode}/coupons`, bodyOf(values));
    go(hrefOf(mode, 'coupons', id));
  };
  return (
    <CreatePage mode={mode} list="coupons" title="Create a coupon" action="Create the coupon" run={create}>
      <Fields fields={fields} values={values} onChange={onChange} />
    </CreatePage>
  );
}

function bodyOf({ code, percentOff, amountOff, ticker, duration, cycles, expiresAt, offerId, ...more }: Draft) {
  return {
    code: textOrNull(code),
    ...(isAmount(more) ? { amountOff: amountOff.trim(), ticker: ticker.trim() } : { percentOff: percentOff.trim() }),
    cycles: duration === 'forever' ? null : wholeOrNull(cycles),
    maxRedemptions: wholeOrNull(more.maxRedemptions),
    expiresAt: expiresAt === '' ? null : `${expiresAt}T23:59:59.999Z`,
    offerIds: offerId === '' ? null : [offerId],
    firstTimeOnly: more.firstTimeOnly === 'yes',
  };
}
