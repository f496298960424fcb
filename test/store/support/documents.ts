import type {
  ApiKeyDoc,
  ChargeDoc,
  CustomerDoc,
  EventDoc,
  MerchantDoc,
  OfferDoc,
  TransactionDoc,
  WalletDoc,
} from '../../../src/store/collections.ts';
import type { Envelope, JournalPage, JournalRow, OutboxItem, StoredActor } from '../../../src/store/documents.ts';
import type { Commit } from '../../../src/store/port.ts';

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
    outbox: [],
    relayAt: null,
    relayFailures: 0,
    partition: 0,
    createdAt: at(0),
    updatedAt: at(0),
  };
}

export function actor(fields: Partial<StoredActor> = {}): StoredActor {
  return {
    ...envelope(),
    kind: 'subscription',
    attributes: { customerId: 'cust_1' },
    machineVersion: 1,
    value: 'pending',
    context: { cycle: 0, notes: ['a', { deep: null }] },
    status: 'pending',
    wakeAt: null,
    clockOffsetMs: 0,
    quarantine: null,
    journal: [],
    ...fields,
  };
}

/** An actor of a delivery, with its resource and sequence as its key. */
export function delivery(fields: Partial<StoredActor> = {}): StoredActor {
  return actor({
    kind: 'delivery',
    attributes: { resourceId: unique('sub'), sequence: 1, eventId: unique('evt') },
    ...fields,
  });
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

/** The next commit of an actor that was read as `seen`. */
export function commitOf(seen: StoredActor, fields: Partial<Commit> = {}, set: Partial<Commit['set']> = {}): Commit {
  return {
    id: seen._id,
    seenRev: seen.rev,
    op: unique('op'),
    set: {
      rev: seen.rev + 1,
      machineVersion: 1,
      value: 'active',
      context: { cycle: seen.rev },
      status: 'active',
      wakeAt: null,
      clockOffsetMs: 0,
      eventSeq: seen.eventSeq,
      updatedAt: at(seen.rev),
      ...set,
    },
    journal: [journalRow(seen.rev + 1)],
    effects: [],
    relayAt: at(0),
    ...fields,
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

export function wallet(fields: Partial<WalletDoc> = {}): WalletDoc {
  return { ...envelope(), tokenKey: 'usdc-base', chainId: 8453, receiverWallet: null, ...fields };
}

export function journalRow(rev: number): JournalRow {
  return {
    rev,
    at: at(rev).toISOString(),
    event: { type: 'cycle.due' },
    by: 'wake',
    sender: null,
    from: 'pending',
    to: 'active',
    effects: [],
    machineVersion: 1,
    hash: 'h',
    op: `op_${rev}`,
  };
}

export function journal(actorId: string, rev: number): JournalPage {
  return { _id: `${actorId}:${rev}`, actorId, rev, rows: [journalRow(rev)] };
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

export function apiKey(merchantId: string): ApiKeyDoc {
  return { _id: unique('key'), merchantId, mode: 'test', hint: 'abcd', createdAt: at(0), revokedAt: null };
}

export function merchantOf(_id: string): MerchantDoc {
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
  };
}
