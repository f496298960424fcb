import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../observability/log.ts';
import type { MerchantDoc, NotedDelegates } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import { Delegates, delegateName, type EarlierDelegates } from './delegates.ts';
import { isStatement, type KeyRoot, type SecretPart } from './key-root.ts';

interface NotedDeps {
  readonly records: Pick<RecordStore, 'find' | 'change'>;
  readonly root: KeyRoot;
  readonly log: Log;
}

interface FoundDelegates {
  readonly earlier: EarlierDelegates;
  /** How many merchants wait for a process with the seed to note their delegates. */
  readonly missing: number;
}

const AT_ONCE = 500;
const POLL_MS = 250;
const PATIENCE_MS = 20_000;

/**
 * The delegates of an installation, with those of the merchants from before. A process without the seed waits until one with it
 * has noted them; throws an Error for people after 20 s.
 */
export async function openDelegates(deps: NotedDeps): Promise<Delegates> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { earlier, missing } = await findNotedDelegates(deps);
    if (missing === 0) return new Delegates(deps.root, earlier);
    if (performance.now() > until) {
      throw new Error(
        `The Solana delegates of ${missing} merchants are not in the database yet: start a worker first, which has OPERATOR_SEED`,
      );
    }
    await delay(POLL_MS);
  }
}

/**
 * The delegates of the merchants from before addresses were derived from a public key. A process with the seed stores them in
 * the merchants, signed. A process without it takes only signed ones: whoever can write to the database can not make payers
 * approve another address. It logs an address that nobody signed.
 */
async function findNotedDelegates(deps: NotedDeps): Promise<FoundDelegates> {
  const earlier = new Map<string, Record<'test' | 'live', string> | null>();
  let missing = 0;
  for await (const merchant of earlierMerchants(deps)) {
    const noted = await notedOf(deps, merchant);
    if (noted === 'missing') missing += 1;
    else earlier.set(merchant._id, noted);
  }
  return { earlier, missing };
}

async function* earlierMerchants({ records }: NotedDeps): AsyncIterable<MerchantDoc> {
  let after: [Date, string] | undefined;
  for (;;) {
    const page = await records.find('merchants', {
      where: { delegates: { not: 'derived' } },
      sort: [['createdAt', -1]],
      ...(after ? { after } : {}),
      limit: AT_ONCE,
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < AT_ONCE) return;
    after = [last.createdAt, last._id];
  }
}

async function notedOf(
  { records, root, log }: NotedDeps,
  { _id: id, delegates }: MerchantDoc,
): Promise<NotedDelegates | null | 'missing'> {
  const name = Buffer.from(root.publicKey).toString('hex');
  const stored = typeof delegates === 'object' ? delegates[name] : undefined;
  const { secret } = root;
  if (secret === null) {
    if (stored === undefined) return 'missing';
    if (isStatement(root, statementOf(id, stored), Buffer.from(stored.signature, 'base64url'))) return stored;
    log.error({ merchantId: id }, 'the stored Solana delegates of a merchant are not signed; nobody may approve them');
    return null;
  }
  const right = signed(secret, id);
  if (stored?.signature === right.signature && statementOf(id, stored) === statementOf(id, right)) return right;
  if (stored)
    log.error({ merchantId: id }, 'the stored Solana delegates of a merchant were altered; they are put right');
  await records.change('merchants', id, {}, { set: { [`delegates.${name}`]: right } });
  return right;
}

function signed(secret: SecretPart, merchantId: string): NotedDelegates {
  const test = secret.deriveEarlier(delegateName({ merchantId, mode: 'test' }, false)).address;
  const live = secret.deriveEarlier(delegateName({ merchantId, mode: 'live' }, false)).address;
  const signature = Buffer.from(secret.sign(statementOf(merchantId, { test, live }))).toString('base64url');
  return { test, live, signature };
}

function statementOf(merchantId: string, { test, live }: Pick<NotedDelegates, 'test' | 'live'>): string {
  return `tideline: the Solana delegates of ${merchantId} are ${test} (test) and ${live} (live)`;
}
