interface Tag {
  readonly name: string;
  readonly description: string;
}

/** First segment of the path → its part of the API. */
const TAGS: { readonly [segment: string]: Tag } = {
  currencies: {
    name: 'Currencies',
    description: 'The chains and tokens in which the service charges, and what payers approve on each.',
  },
  offers: {
    name: 'Offers',
    description:
      'What is sold. An offer carries its pricing options and its hosted checkout URL: one call creates all of it. The ' +
      'terms of an option never change; add another one and retire the old.',
  },
  wallets: {
    name: 'Wallets',
    description:
      'Where money is paid out to, one address per token. A registered wallet takes the place of the destination that a ' +
      'pricing option names.',
  },
  customers: {
    name: 'Customers',
    description: 'The payers. A customer is known by at most one wallet per chain family.',
  },
  subscriptions: {
    name: 'Subscriptions',
    description:
      "A customer's recurring relationship with one pricing option. It is `pending` until its first charge settles, and " +
      'each billing cycle is pulled from the allowance that the payer has granted on chain.',
  },
  payments: {
    name: 'Payments',
    description:
      'Everything that was charged: direct charges and one-time checkouts (`source` `one_time`), and the cycles of ' +
      'subscriptions (`source` `subscription`).',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Where events are delivered, and the secret that signs them.',
  },
  events: {
    name: 'Event log',
    description:
      'Every event that was sent or is to be sent, as it is delivered, and what became of each attempt. It is there whether ' +
      'a webhook URL is set or not.',
  },
  sandbox: {
    name: 'Sandbox',
    description: 'Billing without waiting, with a test key.',
  },
};

/** In the order of the reference. */
export const TAG_LIST: readonly Tag[] = Object.values(TAGS);

/** The name of the tag of a path. Throws for a path without a tag. */
export function tagOf(path: string): string {
  const tag = TAGS[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`${path} has no tag: add its first segment to TAGS`);
  return tag.name;
}
