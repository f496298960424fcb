import { MACHINES } from '../../../machines/versions.ts';
import type {
  ApiKeyDoc,
  ChargeDoc,
  CouponDoc,
  CustomerDoc,
  DepositArrival,
  DepositDoc,
  EventDoc,
  InvoiceDoc,
  MerchantDoc,
  OfferDoc,
  PermitDoc,
  TransactionDoc,
  WalletDoc,
  WatchDoc,
} from '../../../src/store/collections.ts';
import type { Envelope, LoggedEvent, OutboxDoc, OutboxItem, StoredActor } from '../../../src/store/documents.ts';
import type { Commit, CommitBatch, Store } from '../../../src/store/port.ts';

let made = 0;

/** A unique text, so that ids, merchants and keys of tests never meet in one store. */
export function unique(prefix: string): string {
  made += 1;
  return `${prefix}_${made.toString().padStart(6, '0')}`;
}

/** A partition for one test; real ones are below 64. */
export function ownPartition(): number {
  made += 1;
  return 1_000 + made;
}

const T0 = Date.parse('2026-01-01T00:00:00.000Z');

export function at(ms: number): Date {
  return new Date(T0 + ms);
}

function envelope(): Envelope {
  return {
    _id: unique('doc'),
    merchantId: unique('mrc'),
    mode: 'test',
    rev: 1,
    recentOps: [unique('op')],
    eventSeq: 0,
    outboxId: null,
    partition: 0,
    createdAt: at(0),
    updatedAt: at(0),
  };
}

export function actor(fields: Partial<StoredActor> = {}): StoredActor {
  const { kind = 'subscription', rev = 1 } = fields;
  const { recentOps: _, ...common } = envelope();
  return {
    ...common,
    kind,
    attributes: { customerId: 'cust_1' },
    machineVersion: MACHINES[kind].current.version,
    value: 'pending',
    context: { cycle: 0, notes: ['a', { deep: null }] },
    status: 'pending',
    wakeAt: null,
    wakeRev: rev,
    clockOffsetMs: 0,
    quarantine: null,
    headRev: rev,
    outbox: [],
    failures: 0,
    ...fields,
  };
}

/** Stores actors as if one write had made each of them, with the effects in its outbox. */
export async function insertActors(
  { actors, records }: Pick<Store, 'actors' | 'records'>,
  docs: readonly StoredActor[],
  { relayAt }: { readonly relayAt?: Date } = {},
): Promise<void> {
  const alone = docs.filter(({ kind, outbox }) => outbox.length > 0 || kind !== docs[0]?.kind);
  for (const written of [docs.filter((doc) => !alone.includes(doc)), ...alone.map((doc) => [doc])]) {
    const [first] = written;
    if (first === undefined) continue;
    const { kind, outboxId, updatedAt, failures } = first;
    const op = outboxId ?? unique('op');
    const births = written.map((doc) => birthOf(doc.outbox.length === 0 ? doc : { ...doc, outboxId: op }));
    const batch = batchOf(births, { op, at: updatedAt, relayAt: relayAt ?? updatedAt });
    const verdicts = await actors.commit(kind, batch);
    if (verdicts.includes('lost')) throw new Error(`${first._id} or one after it is already stored`);
    if (failures > 0) await records.change('outbox', batch.op, {}, { set: { [`failures.${first._id}`]: failures } });
  }
}

/** The first commit of an actor. */
export function birthOf(after: StoredActor): Commit {
  const events = Array.from({ length: after.rev }, () => logged());
  return { before: null, after, events, effects: after.outbox };
}

export function effects(id: string, rev: number, count: number): OutboxItem[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${id}:${rev}:${index}`,
    rev,
    index,
    at: at(rev),
    sequence: null,
    effect: { type: 'webhook.emit', nth: index },
  }));
}

/** An outbox with one effect of a document. */
export function outbox(fields: Partial<OutboxDoc> = {}): OutboxDoc {
  const documentId = unique('cust');
  const entry = { documentId, merchantId: 'mrc_a', mode: 'test', rev: 1, effects: effects(documentId, 1, 1) } as const;
  const times = { oldestAt: at(0), createdAt: at(0), at: at(0) };
  return { _id: unique('op'), source: 'customers', version: 0, entries: [entry], failures: {}, ...times, ...fields };
}

/** The next commit of an actor that was read as `before`. */
export function commitOf(
  before: StoredActor,
  fields: Partial<Commit> = {},
  set: Partial<Commit['after']> = {},
): Commit {
  const rev = before.rev + 1;
  return {
    before,
    after: {
      ...before,
      rev,
      machineVersion: 1,
      value: 'active',
      context: { cycle: before.rev },
      status: 'active',
      wakeAt: null,
      wakeRev: before.wakeAt === null && !('wakeAt' in set) ? before.wakeRev : rev,
      clockOffsetMs: 0,
      updatedAt: at(before.rev),
      ...set,
    },
    events: [logged()],
    effects: [],
    ...fields,
  };
}

/** Commits that are written together. This is the outbox of those with effects. */
export function batchOf(commits: readonly Commit[], fields: Partial<CommitBatch> = {}): CommitBatch {
  const { op = unique('op') } = fields;
  const named = commits.map((commit) => {
    return commit.effects.length === 0 ? commit : { ...commit, after: { ...commit.after, outboxId: op } };
  });
  return { op, at: at(0), relayAt: at(0), commits: named, ...fields };
}

export function coupon(fields: Partial<CouponDoc> = {}): CouponDoc {
  return {
    ...{ _id: unique('cpn'), merchantId: 'mrc_1', mode: 'test', rev: 1, code: null, active: true, offerIds: null },
    ...{ percentOff: '25', amountOff: null, ticker: null, cycles: 1, expiresAt: null, maxRedemptions: null },
    ...{ firstTimeOnly: false, redemptions: 0, moving: null, createdAt: at(0), updatedAt: at(0), ...fields },
  };
}

export function offer(fields: Partial<OfferDoc> = {}): OfferDoc {
  return {
    ...envelope(),
    name: 'Coffee',
    nameKey: 'coffee',
    description: null,
    imageUrl: null,
    identifier: null,
    productRef: null,
    pricing: [],
    active: true,
    availableQuantity: null,
    redeemedCount: 0,
    holds: [],
    expiresAt: null,
    afterCompletion: {},
    features: [],
    collectFields: {},
    allowedPaymentMethods: {},
    metadata: {},
    reference: null,
    splitEvm: [],
    idempotencyKey: null,
    requestHash: null,
    deletedAt: null,
    ...fields,
  };
}

export function customer(fields: Partial<CustomerDoc> = {}): CustomerDoc {
  return {
    ...envelope(),
    wallets: [],
    walletKeys: [],
    merchantReferenceId: null,
    email: null,
    phone: null,
    name: null,
    nameKey: null,
    emailKey: null,
    referenceKey: null,
    idempotencyKey: null,
    requestHash: null,
    deletedAt: null,
    ...fields,
  };
}

export function invoice(fields: Partial<InvoiceDoc> = {}): InvoiceDoc {
  const party = { name: 'Acme GmbH', address: 'Main Street 1', country: 'DE', taxId: 'DE123' };
  return {
    ...{ _id: 'mrc_a:test:2030:1', merchantId: 'mrc_a', mode: 'test', year: '2030', number: 1, subject: 'pay_1:1' },
    ...{
      paymentId: 'pay_1',
      corrects: null,
      date: '2030-01-15',
      movedOn: '2030-01-15',
      seller: party,
      customer: party,
    },
    ...{ language: null, period: null },
    lines: [{ kind: 'sale', name: 'Pro', quantity: null, net: '8403361', tax: '1596639' }],
    ...{ tokenKey: 'usdc-local-evm', taxRate: '19', isTaxIncluded: true, net: '8403361', tax: '1596639' },
    ...{ total: '10000000', rate: null, transaction: '0xaa', createdAt: at(0) },
    ...fields,
  };
}

export function wallet(fields: Partial<WalletDoc> = {}): WalletDoc {
  return { ...envelope(), tokenKey: 'usdc-base', chainId: 8453, receiverWallet: null, ...fields };
}

export function logged(fields: Partial<LoggedEvent> = {}): LoggedEvent {
  const event = { type: 'cycle.due', now: at(0).toISOString() };
  return { event, by: 'wake', to: 'active', effects: [], version: 1, hash: 'h', ...fields };
}

export function event(fields: Partial<EventDoc> = {}): EventDoc {
  return {
    _id: unique('evt'),
    merchantId: unique('mrc'),
    mode: 'test',
    resourceId: unique('sub'),
    sequence: 1,
    event: 'subscription.created',
    createdAt: at(0),
    data: {},
    status: 'delivered',
    attempt: 0,
    attempts: [],
    looks: 0,
    wakeAt: null,
    rev: 1,
    partition: 0,
    quarantine: null,
    updatedAt: at(0),
    ...fields,
  };
}

export function charge(fields: Partial<ChargeDoc> = {}): ChargeDoc {
  return {
    _id: unique('charge'),
    key: unique('key'),
    attempt: 1,
    paymentId: unique('pay'),
    merchantId: unique('mrc'),
    mode: 'test',
    chainId: 31337,
    token: '0x1',
    from: '0x2',
    gross: '1000000000000000000000000',
    shares: [{ role: 'forward', to: '0x3', amount: '1' }],
    isCycle: true,
    state: 'waiting',
    lane: null,
    transactionId: null,
    txHash: null,
    block: null,
    reason: null,
    notBefore: at(0),
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}

export function transaction(fields: Partial<TransactionDoc> = {}): TransactionDoc {
  return {
    _id: unique('tx'),
    chainId: 31337,
    sender: unique('0xsender'),
    nonce: 0,
    state: 'signed',
    versions: [],
    chargeIds: [],
    block: null,
    txHash: null,
    reverted: false,
    askAt: at(0),
    asked: 0,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}

/** A watch of a wallet that no time makes due. */
export function watch(fields: Partial<WatchDoc> = {}): WatchDoc {
  return {
    _id: unique('sub'),
    partition: 0,
    merchantId: 'mrc_a',
    mode: 'test',
    chainId: 31337,
    token: '0x1',
    operator: '0x2',
    wallet: '0x3',
    lookAt: null,
    looks: 0,
    createdAt: at(0),
    ...fields,
  };
}

/** A payment's deposit of 10 tokens of 6 decimals, to which nothing has been sent. */
export function deposit(fields: Partial<DepositDoc> = {}): DepositDoc {
  return {
    _id: unique('pay'),
    merchantId: 'mrc_a',
    mode: 'test',
    rev: 1,
    chainId: 31337,
    account: `0x${'11'.repeat(32)}`,
    address: '0x00000000000000000000000000000000000d0e05',
    token: '0x1',
    due: '10000000',
    refundWallet: null,
    since: 1,
    arrivals: [],
    heldAt: null,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}

/** 12 tokens of 6 decimals in a deposit of 10: 2 are held. */
export function arrival(fields: Partial<DepositArrival> = {}): DepositArrival {
  return {
    id: 'dep_01hm0000000000000000000001',
    txHash: `0x${'d'.repeat(64)}`,
    index: 0,
    token: '0x1',
    from: '0x2',
    amount: '12000000',
    block: { number: 1, hash: '0xb1' },
    charged: '10000000',
    refunded: '0',
    fate: 'held',
    held: 'no_refund_wallet',
    refund: null,
    ...fields,
  };
}

export function permit(fields: Partial<PermitDoc> = {}): PermitDoc {
  return {
    _id: unique('prm'),
    chainId: 31337,
    token: '0x1',
    wallet: '0x2',
    operator: '0x3',
    merchantId: 'mrc_a',
    mode: 'test',
    router: '0x5',
    value: '118800000',
    deadline: '1900003600',
    nonce: '7',
    signature: '0x',
    block: 1,
    state: 'started',
    reason: null,
    reverts: 0,
    lane: null,
    transactionId: null,
    txHash: null,
    notBefore: at(0),
    createdAt: at(0),
    updatedAt: at(0),
    purgeAt: null,
    ...fields,
  };
}

export function apiKey(merchantId: string): ApiKeyDoc {
  return { _id: unique('key'), merchantId, mode: 'test', hint: 'abcd', createdAt: at(0), revokedAt: null };
}

export function merchantOf(_id: string, fields: Partial<MerchantDoc> = {}): MerchantDoc {
  const webhook = {
    liveUrl: '',
    testUrl: '',
    secret: null,
    secretRotatedAt: null,
    previousSecret: null,
    previousSecretUntil: null,
    extraEvents: { live: false, test: false },
  };
  return {
    _id,
    name: 'A shop',
    nameKey: 'a shop',
    status: 'active',
    feeBps: 100,
    limitFactor: 1,
    webhook,
    createdAt: at(0),
    updatedAt: at(0),
    ...fields,
  };
}
