interface Tag {
  readonly name: string;
  readonly description: string;
}

/** The word that names the resource in a path → its part of the API. */
const TAGS: { readonly [segment: string]: Tag } = {
  currencies: {
    name: 'Currencies',
    description: 'The chains and tokens in which the service charges, and the address that payers approve on each.',
  },
  offers: {
    name: 'Offers',
    description:
      'The products of a merchant. An offer has pricing options and a hosted checkout URL; one call creates them all. The ' +
      'terms of an option never change: add another one and retire the old one.',
  },
  wallets: {
    name: 'Wallets',
    description:
      'The receivers of payouts, one address per token. A registered wallet replaces the destination of a pricing option.',
  },
  customers: {
    name: 'Customers',
    description: 'The payers. A customer has at most one wallet per chain family.',
  },
  subscriptions: {
    name: 'Subscriptions',
    description:
      "A customer's recurring relationship with one pricing option. It is `pending` until its first charge settles, and " +
      'each billing cycle is pulled from the allowance that the payer has granted on chain.',
  },
  pause: {
    name: 'Pauses',
    description: 'A time in which nothing of a subscription falls due. POST …/resume of the subscription ends it.',
  },
  usage: {
    name: 'Usage',
    description: 'The units that a subscription with a metered price has used, and what they cost so far.',
  },
  coupons: {
    name: 'Coupons',
    description: 'Discounts of subscriptions: what they take off, for how long, for whom, and who has redeemed them.',
  },
  payments: {
    name: 'Payments',
    description:
      'All charges: direct charges and one-time checkouts (`source` `one_time`), and the cycles of ' +
      'subscriptions (`source` `subscription`).',
  },
  refunds: {
    name: 'Refunds',
    description: 'Money that goes back to a payer: from the wallet of the merchant, or from a deposit.',
  },
  invoice: {
    name: 'Invoices',
    description: 'What a payment was for, with its tax: one invoice, and a credit note for each refund.',
  },
  revenue: {
    name: 'Revenue',
    description: 'Recurring revenue, retention, and payments and subscriptions added up by day or month.',
  },
  settlements: {
    name: 'Settlements',
    description: 'What settled in a month, for the accountant: payment by payment, and the sums of each token.',
  },
  account: {
    name: 'Account',
    description: 'The settings of the merchant, for both environments.',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'The URL of deliveries, and the secrets that sign them.',
  },
  events: {
    name: 'Event log',
    description:
      'Every event, sent or still to send, as it is delivered, with the result of each attempt. It also exists without a ' +
      'webhook URL.',
  },
  sandbox: {
    name: 'Sandbox',
    description: 'Billing without waiting, with a test key.',
  },
};

/** In the order of the reference. */
export const TAG_LIST: readonly Tag[] = Object.values(TAGS);

/** The tag of paths below a resource, where it is not the tag of the resource. */
const BELOW = new Map([
  ['invoice', 'invoice'],
  ['pause', 'pause'],
  ['refunds', 'refunds'],
  ['usage', 'usage'],
  ['discount', 'coupons'],
]);

/** The name of the tag of a path. Throws for a path without a tag. */
export function tagOf(path: string): string {
  const [, resource = '', , below = ''] = path.split('/');
  const tag = TAGS[BELOW.get(below) ?? resource];
  if (tag === undefined) throw new Error(`${path} has no tag: add its first segment to TAGS`);
  return tag.name;
}
