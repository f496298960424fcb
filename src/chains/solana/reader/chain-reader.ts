import { z } from 'zod';
import type { ChargeDoc } from '../../../store/collections.ts';
import type { Tenant } from '../../../store/documents.ts';
import {
  type Certainty,
  type ChainPage,
  type ChainReader,
  chunksOf,
  type Evidence,
  firstFrom,
  type Holding,
  type Movement,
  type OnChainCharge,
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

export interface SolanaChainReaderOptions {
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
export class SolanaChainReader implements ChainReader {
  readonly chainId: number;
  readonly family = 'solana';
  readonly label: string;
  readonly #options: SolanaChainReaderOptions;
  readonly #rpc: RpcTransport;
  readonly #delegates: Delegates;

  constructor(options: SolanaChainReaderOptions) {
    this.#options = options;
    this.#rpc = options.rpc;
    this.#delegates = options.delegates;
    this.chainId = options.chainId;
    this.label = options.label;
  }

  merchantOf(charge: Pick<ChargeDoc, 'merchantId' | 'mode' | 'from' | 'deposit' | 'mandate' | 'router'>): string {
    return charge.deposit ? charge.from : this.#delegates.of(charge, consentOf(charge).isBounded).address;
  }

  #delegatesOf(tenants: readonly Tenant[]): Omit<Residue, 'token' | 'amount'>[] {
    return tenants.flatMap(({ merchantId, mode }) =>
      [false, true].map((isBounded) => ({
        holder: `the ${isBounded ? 'delegate for mandates' : 'delegate'} of ${merchantId} (${mode})`,
        tenant: { merchantId, mode },
        address: this.#delegates.of({ merchantId, mode }, isBounded).address,
      })),
    );
  }

  async evidence({ key, txHash }: ChargeDoc): Promise<Evidence | null> {
    if (txHash === null) return null;
    const [found] = await readAll(this.#rpc, [txHash]);
    if (found?.charge?.key !== key) return null;
    const hash = await blockhashAt(this.#rpc, found.slot);
    if (hash === null) return null;
    const head = await this.head('final');
    const charge = { ...found.charge, block: { number: found.slot, hash } };
    return { charge, confirmations: Math.max(1, head - found.slot + 1) };
  }

  async head(certainty: Certainty): Promise<number> {
    const commitment = certainty === 'final' ? 'confirmed' : 'finalized';
    return z.int().parse(await this.#rpc.call('getSlot', [{ commitment }]));
  }

  async blockAt(moment: Date): Promise<number> {
    const seconds = moment.getTime() / 1_000;
    const [first, head] = [z.int().parse(await this.#rpc.call('getFirstAvailableBlock', [])), await this.head('final')];
    return firstFrom(first, head + 1, async (slot) => ((await this.#timeFrom(slot, head)) ?? seconds) < seconds);
  }

  async *read(from: number, to: number, { tenants, known }: ReadOptions): AsyncIterable<ChainPage> {
    const { feePayers } = this.#options;
    const ours = new Set(feePayers);
    const none = async () => new Set<string>();
    for (const address of feePayers) {
      for await (const read of this.#signedBy(address, { from, to, known: none })) yield pageOf(read);
    }
    // Transactions with the fee of another payer: somebody else has the seed.
    for (const { address } of this.#delegatesOf(tenants)) {
      for await (const read of this.#signedBy(address, { from, to, known })) {
        yield pageOf(read.filter(({ signers }) => !signers.some((one) => ours.has(one))));
      }
    }
  }

  /** The transactions in these slots that an address has signed and that succeeded, without those that are known. */
  async *#signedBy(
    address: string,
    { from, to, known }: Pick<ReadOptions, 'known'> & { readonly from: number; readonly to: number },
  ): AsyncGenerator<ReadTransaction[]> {
    for await (const page of namedBy(this.#rpc, address, from)) {
      const wanted = page.filter(({ slot, failed }) => slot <= to && !failed).map(({ signature }) => signature);
      const seen = wanted.length === 0 ? new Set<string>() : await known(wanted);
      const unknown = wanted.filter((signature) => !seen.has(signature));
      for (const chunk of chunksOf(unknown, PAGE)) {
        const read = await readAll(this.#rpc, chunk);
        yield read.filter(({ signers }) => signers.includes(address));
      }
    }
  }

  async transactions(txHashes: readonly string[]): Promise<ReadonlyMap<string, readonly OnChainCharge[]>> {
    const read = await readAll(this.#rpc, txHashes);
    return new Map(read.map(({ txHash, charge }) => [txHash, charge === null ? [] : [charge]]));
  }

  async refunds(asked: Parameters<ChainReader['refunds']>[0]): Promise<OnChainRefund[]> {
    const refunds: OnChainRefund[] = [];
    for (const { key, transactions } of asked) {
      const named = new Set(transactions);
      for await (const page of namedBy(this.#rpc, refundReference(key)))
        for (const { signature, failed } of page) if (!failed) named.add(signature);
      const found = await wiresOf(this.#rpc, [...named]);
      refunds.push(...found.flatMap(([signature, transaction]) => refundsIn(key, signature, transaction)));
    }
    return refunds;
  }

  async residues(tenants: readonly Tenant[]): Promise<Residue[]> {
    const holders = [
      ...this.#options.feePayers.map((address) => ({ holder: 'a fee payer', tenant: null, address })),
      ...this.#delegatesOf(tenants),
    ];
    const residues: Residue[] = [];
    for (const holder of holders) {
      residues.push(...(await this.#heldBy(holder)));
    }
    return residues;
  }

  async holdings(addresses: readonly string[]): Promise<readonly (readonly Holding[])[]> {
    const calls = addresses.map((address) => [
      ...ownedCalls(address),
      { method: 'getBalance', params: [address, { commitment: 'confirmed' }] },
    ]);
    const answers = calls.length === 0 ? [] : await this.#rpc.batch(calls.flat());
    return chunksOf(answers, calls[0]?.length ?? 1).map((mine) => {
      const read = mine.slice(0, -1).map((answer) => readOwned(resultOf(answer)));
      const slot = Math.min(...read.map((each) => each.slot));
      const lamports = balanceSchema.parse(resultOf(mine.at(-1)));
      const native: Holding = { token: null, amount: lamports.value, block: lamports.context.slot };
      const tokens = this.#options.tokens.map((token): Holding => {
        const found = read.find(({ accounts }) => accounts.some(({ mint }) => mint === token));
        const mine = found?.accounts.filter(({ mint }) => mint === token) ?? [];
        const amount = mine.reduce((sum, each) => sum + each.amount, 0n);
        return { token, amount, block: found?.slot ?? slot };
      });
      return [...tokens, native];
    });
  }

  close(): Promise<void> {
    this.#rpc.abort();
    return this.#rpc.close();
  }

  async #heldBy(holder: Pick<Residue, 'holder' | 'tenant' | 'address'>): Promise<Residue[]> {
    const answers = await this.#rpc.batch(ownedCalls(holder.address));
    const accounts = answers.flatMap((answer) => readOwned(resultOf(answer)).accounts);
    return accounts.flatMap(({ mint, amount }) => {
      const isOurs = this.#options.tokens.includes(mint);
      return isOurs && amount > 0n ? [{ ...holder, token: mint, amount }] : [];
    });
  }

  /** The time of the first block at or after a slot: not every slot has a block. */
  async #timeFrom(slot: number, head: number): Promise<number | null> {
    for (let at = slot; at <= Math.min(head, slot + SLOTS_TRIED); at += 1) {
      const [answer] = await this.#rpc.batch([{ method: 'getBlockTime', params: [at] }]);
      if (answer?.ok === true && typeof answer.result === 'number') return answer.result;
      if (!isRefusal(answer)) resultOf(answer);
    }
    return null;
  }
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
