import { z } from 'zod';
import type { Tenant } from '../../../store/documents.ts';
import {
  type ChainPage,
  type ChainReader,
  chunksOf,
  firstFrom,
  type Holding,
  type Movement,
  type OnChainRefund,
  type ReadOptions,
  type Residue,
} from '../../chain-reader.ts';
import { consentOf } from '../../consent.ts';
import { isRefusal, type RpcTransport, resultOf } from '../../rpc.ts';
import type { ReadTransaction } from '../charged.ts';
import type { Delegates } from '../key-root.ts';
import { refundReference, refundsIn } from '../refunds.ts';
import { ownedCalls, readOwned } from '../token-account.ts';
import { balanceSchema } from '../wire.ts';
import { blockhashAt, namedBy, readAll, wiresOf } from './history.ts';

interface Options {
  readonly chainId: number;
  readonly label: string;
  readonly rpc: RpcTransport;
  readonly delegates: Delegates;
  readonly feePayers: readonly string[];
  /** Mints. */
  readonly tokens: readonly string[];
}

const SLOTS_TRIED = 50;

/** The reader of a Solana chain. It trusts transactions that the service's keys have signed. */
export function solanaChainReader({ chainId, label, rpc, delegates, feePayers, tokens }: Options): ChainReader {
  const delegatesOf = (tenants: readonly Tenant[]): Omit<Residue, 'token' | 'amount'>[] =>
    tenants.flatMap(({ merchantId, mode }) =>
      [false, true].map((isBounded) => ({
        holder: `the ${isBounded ? 'delegate for mandates' : 'delegate'} of ${merchantId} (${mode})`,
        tenant: { merchantId, mode },
        address: delegates.of({ merchantId, mode }, isBounded).address,
      })),
    );

  const head: ChainReader['head'] = async (certainty) => {
    const commitment = certainty === 'final' ? 'confirmed' : 'finalized';
    return z.int().parse(await rpc.call('getSlot', [{ commitment }]));
  };

  /** The transactions in these slots that an address has signed and that succeeded, without those that are known. */
  async function* signedBy(
    address: string,
    { from, to, known }: Pick<ReadOptions, 'known'> & { readonly from: number; readonly to: number },
  ): AsyncGenerator<ReadTransaction[]> {
    for await (const page of namedBy(rpc, address, from)) {
      const wanted = page.filter(({ slot, failed }) => slot <= to && !failed).map(({ signature }) => signature);
      const seen = wanted.length === 0 ? new Set<string>() : await known(wanted);
      const unknown = wanted.filter((signature) => !seen.has(signature));
      for (const chunk of chunksOf(unknown, PAGE)) {
        const read = await readAll(rpc, chunk);
        yield read.filter(({ signers }) => signers.includes(address));
      }
    }
  }

  const heldBy = async (holder: Pick<Residue, 'holder' | 'tenant' | 'address'>): Promise<Residue[]> => {
    const answers = await rpc.batch(ownedCalls(holder.address));
    const accounts = answers.flatMap((answer) => readOwned(resultOf(answer)).accounts);
    return accounts.flatMap(({ mint, amount }) => {
      const isOurs = tokens.includes(mint);
      return isOurs && amount > 0n ? [{ ...holder, token: mint, amount }] : [];
    });
  };

  /** The time of the first block at or after a slot: not every slot has a block. */
  const timeFrom = async (slot: number, last: number): Promise<number | null> => {
    for (let at = slot; at <= Math.min(last, slot + SLOTS_TRIED); at += 1) {
      const [answer] = await rpc.batch([{ method: 'getBlockTime', params: [at] }]);
      if (answer?.ok === true && typeof answer.result === 'number') return answer.result;
      if (!isRefusal(answer)) resultOf(answer);
    }
    return null;
  };

  return {
    chainId,
    family: 'solana',
    label,
    head,

    merchantOf(charge) {
      return charge.deposit ? charge.from : delegates.of(charge, consentOf(charge).isBounded).address;
    },

    async evidence({ key, txHash }) {
      if (txHash === null) return null;
      const [found] = await readAll(rpc, [txHash]);
      if (found?.charge?.key !== key) return null;
      const hash = await blockhashAt(rpc, found.slot);
      if (hash === null) return null;
      const newest = await head('final');
      const charge = { ...found.charge, block: { number: found.slot, hash } };
      return { charge, confirmations: Math.max(1, newest - found.slot + 1) };
    },

    async blockAt(moment) {
      const seconds = moment.getTime() / 1_000;
      const [first, last] = [z.int().parse(await rpc.call('getFirstAvailableBlock', [])), await head('final')];
      return firstFrom(first, last + 1, async (slot) => ((await timeFrom(slot, last)) ?? seconds) < seconds);
    },

    async *read(from, to, { tenants, known }) {
      const ours = new Set(feePayers);
      const none = async () => new Set<string>();
      for (const address of feePayers) {
        for await (const read of signedBy(address, { from, to, known: none })) yield pageOf(read);
      }
      // Transactions with the fee of another payer: somebody else has the seed.
      for (const { address } of delegatesOf(tenants)) {
        for await (const read of signedBy(address, { from, to, known })) {
          yield pageOf(read.filter(({ signers }) => !signers.some((one) => ours.has(one))));
        }
      }
    },

    async transactions(txHashes) {
      const read = await readAll(rpc, txHashes);
      return new Map(read.map(({ txHash, charge }) => [txHash, charge === null ? [] : [charge]]));
    },

    async refunds(asked) {
      const refunds: OnChainRefund[] = [];
      for (const { key, transactions } of asked) {
        const named = new Set(transactions);
        for await (const page of namedBy(rpc, refundReference(key)))
          for (const { signature, failed } of page) if (!failed) named.add(signature);
        const found = await wiresOf(rpc, [...named]);
        refunds.push(...found.flatMap(([signature, transaction]) => refundsIn(key, signature, transaction)));
      }
      return refunds;
    },

    async residues(tenants) {
      const holders = [
        ...feePayers.map((address) => ({ holder: 'a fee payer', tenant: null, address })),
        ...delegatesOf(tenants),
      ];
      const residues: Residue[] = [];
      for (const holder of holders) {
        residues.push(...(await heldBy(holder)));
      }
      return residues;
    },

    async holdings(addresses) {
      const calls = addresses.map((address) => [
        ...ownedCalls(address),
        { method: 'getBalance', params: [address, { commitment: 'confirmed' }] },
      ]);
      const answers = calls.length === 0 ? [] : await rpc.batch(calls.flat());
      return chunksOf(answers, calls[0]?.length ?? 1).map((mine) => {
        const read = mine.slice(0, -1).map((answer) => readOwned(resultOf(answer)));
        const slot = Math.min(...read.map((each) => each.slot));
        const lamports = balanceSchema.parse(resultOf(mine.at(-1)));
        const native: Holding = { token: null, amount: lamports.value, block: lamports.context.slot };
        const amounts = tokens.map((token): Holding => {
          const found = read.find(({ accounts }) => accounts.some(({ mint }) => mint === token));
          const mine = found?.accounts.filter(({ mint }) => mint === token) ?? [];
          const amount = mine.reduce((sum, each) => sum + each.amount, 0n);
          return { token, amount, block: found?.slot ?? slot };
        });
        return [...amounts, native];
      });
    },

    close() {
      rpc.abort();
      return rpc.close();
    },
  };
}

const PAGE = 200;

/** Our keys signed all of these transactions. One that neither charges nor announces is reported as a movement. */
function pageOf(read: readonly ReadTransaction[]): ChainPage {
  return {
    charges: read.flatMap(({ charge }) => charge ?? []),
    refunds: [],
    others: read.filter(({ charge, isAnnouncement }) => charge === null && !isAnnouncement).map(movementOf),
  };
}

function movementOf({ txHash, slot, signers }: ReadTransaction): Movement {
  const what = `a transaction signed by ${signers.join(' and ')} is no charge`;
  return { txHash, block: slot, what, mayBeKnown: true };
}
