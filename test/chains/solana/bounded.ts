import { waitingAnnouncement } from '../../../src/chains/announcements.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import { solanaChainReader } from '../../../src/chains/solana/reader/chain-reader.ts';
import type { AnnouncementDoc, ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import { MILLION } from '../support/world.ts';
import { useSolana } from './bench.ts';
import { signedMandate } from './signed-mandates.ts';
import { CHAIN_ID } from './world.ts';

/** The merchant of the payers. */
export const TENANT = { merchantId: 'mrc_a', mode: 'test' } as const;

/** A chain whose payers approve the delegate for mandates, and a bench on it. */
export function useBounded() {
  const { world, bench } = useSolana({ isBounded: true });

  async function store(...mandates: readonly MandateDoc[]): Promise<void> {
    await bench.records.insert('mandates', mandates);
  }

  /** A payer who has approved the delegate for mandates, and a stored mandate of theirs. */
  async function mandated(change: Partial<MandateDoc> = {}): Promise<MandateDoc> {
    const mandate = signedMandate(world, await world.payer(), change);
    await store(mandate);
    return mandate;
  }

  /** Charges, and expects that nothing is signed. */
  async function refused(charge: ChargeDoc): Promise<ChargeDoc> {
    await bench.charge(charge);
    await bench.untilState([charge], 'refused', 'final');
    expect(await bench.transactionsOf(charge)).toEqual([]);
    return bench.read(charge);
  }

  /** The amount taken from a payer who had a million base units of it. */
  async function taken(wallet: string): Promise<bigint> {
    return MILLION - (await world.balanceOf(wallet));
  }

  /** Announces the recipient, and resolves with the document once the chain has it. */
  async function announced(payee: string, tenant: Tenant = TENANT): Promise<AnnouncementDoc> {
    const doc = waitingAnnouncement({ ...tenant, chainId: CHAIN_ID, router: null, payee }, new Date());
    await bench.records.insert('announcements', [doc]);
    const read = () => bench.doc('announcements', doc._id);
    await bench.until('it is announced', async () => (await read()).state === 'announced');
    return read();
  }

  function openReader() {
    return solanaChainReader({
      chainId: CHAIN_ID,
      label: 'Test',
      rpc: new JsonRpc({ url: world.rpcUrl, timeoutMs: 5_000, batchMax: 20 }),
      delegates: world.delegates,
      feePayers: [],
      tokens: [world.token],
    });
  }

  /** The addresses without an account in the charge's transaction: its delegate and two references. */
  async function namedBy(charge: ChargeDoc): Promise<readonly string[]> {
    const { accounts = [] } = world.chain.records.get((await bench.read(charge)).txHash ?? '') ?? {};
    return accounts.filter((address) => world.chain.account(address) === null);
  }

  return { world, bench, store, mandated, refused, taken, announced, openReader, namedBy };
}
