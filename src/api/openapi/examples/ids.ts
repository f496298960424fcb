/** The ids, addresses and moments of the examples; all examples are about the same resources. */
export const IDS = {
  merchant: 'mrc_01kc9w3m8zq4v7d2n5h6r0t1ba',
  wallet: 'wal_01kc9w5t2e8k3y6p9s1x4c7dfg',
  offer: 'offer_01kc9w7b4f9m2z5q8v1x3d6ghj',
  monthly: 'price_01kc9w7b4f6n1y4p7s0w3c5ehk',
  yearly: 'price_01kc9w7b4f8r3a6t9x2z5d7gjm',
  customer: 'cust_01kc9wa6h3q8v1d4n7r0t2y5bc',
  subscription: 'sub_01kc9wd9k5s2x7f4p1w3z6a8eg',
  payment: 'pay_01kc9wg2m7v4z9h6r3y5b8c0dj',
  refund: 'ref_01kc9wh3n5t7y1c4f8k2m6p9rs',
  coupon: 'cpn_01kc9wf6q2t9w5y8b3d7g1k4nm',
  cycle: '01kc9wj4p8x6b1k9t5a7d2e3fm',
  event: 'evt_01kc9wm7r1z8d3n2w6c9f4g5hp',
  delivery: 'dlv_01kc9wm7r1b6s8v3y0q5x2f9kd',
} as const;

export const ADDRESSES = {
  payer: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  payout: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  supplier: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  operator: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  usdcOnBase: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  usdtOnEthereum: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
} as const;

export const MOMENTS = {
  created: '2026-01-15T09:30:00.000Z',
  firstCharge: '2026-01-15T09:31:12.480Z',
  settled: '2026-01-15T09:31:16.910Z',
  /** One month after the first charge: the end of the first period. */
  periodEnd: '2026-02-15T09:31:12.480Z',
} as const;

export const TX_HASH = '0x4f1d8a2b6c3e5f70918273645a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7';

/** The token of the examples, and its chain. */
export const TOKEN = { tokenKey: 'usdc-base', chainId: 8453 } as const;
