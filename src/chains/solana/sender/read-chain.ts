import type { ChargeDoc } from '../../../store/collections.ts';
import { assetOf } from '../../charges.ts';
import type { AllowanceState } from '../../port.ts';
import { NodeUnreachable, type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import { type Accounts, accountsQuestion, readAccounts, type SolanaContext } from '../context.ts';
import { eachOnce, type Fence, type Landed, readFences } from '../fence.ts';
import type { Plan } from '../plan.ts';
import { BLOCKHASH_BLOCKS, balanceSchema, feesSchema, latestBlockhashSchema } from '../wire.ts';

/** The state of the chain before any decision. */
export interface ChainReading {
  /** The accounts of payers and recipients, and the recipients' wallets. */
  readonly accounts: Accounts;
  /** Successful transactions that name a charge's key, by id of the charge. */
  readonly fences: ReadonlyMap<string, Fence>;
  /** The fee payer's balance, in lamports. */
  readonly balance: bigint;
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  /** The slot at which the blockhash was read. */
  readonly slot: number;
  /** The price of a compute unit, in millionths of a lamport, as others offer it for these payers' accounts. */
  readonly unitPrice: bigint;
  /** The newest slot seen before the reading. An older state proves no refusal: the node that gave it is behind. */
  readonly since: number;
  /** The amounts that charges in flight take, by payer and token; `byOperator` divides them by operator. */
  readonly onTheirWay: ReadonlyMap<string, OnTheirWay>;
}

export interface OnTheirWay {
  readonly balance: bigint;
  readonly byOperator: ReadonlyMap<string, bigint>;
}

/** The price of a charge that is sent again starts at least here, if others offer less. */
const UNIT_PRICE_AGAIN = 1_000n;
/** The highest price to offer: nobody can make the fee payer pay more by offering more for the same accounts. */
const UNIT_PRICE_MOST = 100_000n;
/** The most accounts that nodes take in one question for fees. */
const FEE_ACCOUNTS = 128;
const AT_ONCE = 1_000;

/** Asks everything at once. @throws NodeUnreachable */
export async function readChain(ctx: SolanaContext, feePayer: string, plans: readonly Plan[]): Promise<ChainReading> {
  const addresses = [...new Set(plans.flatMap(addressesOf))];
  // Charges in flight are read before the chain: a charge that lands in between counts twice, and is never missed.
  const [onTheirWay, found] = await Promise.all([readOnTheirWay(ctx, plans), readFound(ctx, plans)]);
  const question = accountsQuestion(addresses, CALLS(feePayer, plans));
  const since = ctx.link.head ?? 0;
  const references = plans.map(({ reference }) => reference);
  const [{ answers }, fences] = await Promise.all([ctx.link.sized(question), readFences(ctx.link, references)]);
  const [hash, balance, fees, ...accounts] = answers;
  const latest = latestBlockhashSchema.parse(resultOf(hash));
  const funds = balanceSchema.parse(resultOf(balance));
  const { slot } = latest.context;
  // A transaction with too high a slot or height would wait for ever.
  if (slot > funds.context.slot + ctx.link.lagBlocks)
    throw new NodeUnreachable(`the node names slot ${slot} for a blockhash, and slot ${funds.context.slot} otherwise`);
  ctx.link.saw(slot);
  const { blockhash, lastValidBlockHeight } = latest.value;
  return {
    blockhash,
    lastValidBlockHeight: Math.min(lastValidBlockHeight, ctx.link.highestAt(slot) + BLOCKHASH_BLOCKS),
    slot,
    since,
    balance: funds.value,
    unitPrice: usualPrice(ctx, fees),
    accounts: readAccounts(addresses, accounts, ctx.link),
    fences: new Map(
      plans.map(({ charge }, index) => {
        const { landed = [], isWhole = false } = fences[index] ?? {};
        return [charge._id, { landed: eachOnce([...landed, ...(found.get(charge.key) ?? [])]), isWhole }];
      }),
    ),
    onTheirWay,
  };
}

const CALLS = (feePayer: string, plans: readonly Plan[]): RpcCall[] => [
  { method: 'getLatestBlockhash', params: [{ commitment: 'confirmed' }] },
  { method: 'getBalance', params: [feePayer, { commitment: 'confirmed' }] },
  {
    method: 'getRecentPrioritizationFees',
    params: [[...new Set(plans.map(({ source }) => source))].slice(0, FEE_ACCOUNTS)],
  },
];

/** The accounts that decide whether the charge can be made. */
export function addressesOf({ source, shares }: Plan): string[] {
  return [source, ...shares.flatMap(({ account, share }) => [account, share.to])];
}

/** The price for this charge: four times as much for each transaction that lacked no units, up to the highest one. */
export function unitPriceFor({ unitPrice }: Pick<ChainReading, 'unitPrice'>, charge: ChargeDoc): bigint {
  const lost = (charge.releases ?? 0) - (charge.outOfUnits ?? 0);
  if (lost === 0) return unitPrice;
  const first = unitPrice > UNIT_PRICE_AGAIN ? unitPrice : UNIT_PRICE_AGAIN;
  const price = first * 4n ** BigInt(Math.min(lost, 10));
  return price < UNIT_PRICE_MOST ? price : UNIT_PRICE_MOST;
}

/** A price that sufficed for three quarters of the recent blocks; 0 if the node does not say. */
function usualPrice({ link }: SolanaContext, answer: RpcAnswer | undefined): bigint {
  const fees = answer?.ok === true ? feesSchema.safeParse(answer.result) : undefined;
  const rows = link.readable('fees', fees?.data ?? []);
  if (rows.length === 0) return 0n;
  const sorted = rows.map(({ prioritizationFee }) => prioritizationFee).sort((one, other) => one - other);
  const price = BigInt(Math.ceil(sorted[Math.floor((sorted.length - 1) * 0.75)] ?? 0));
  return price < UNIT_PRICE_MOST ? price : UNIT_PRICE_MOST;
}

/** Charges of the same payers that are signed, or about to be, and not known to be confirmed. */
async function readOnTheirWay(ctx: SolanaContext, plans: readonly Plan[]): Promise<Map<string, OnTheirWay>> {
  const own = new Set(plans.map(({ charge }) => charge._id));
  const found = await ctx.records.find('charges', {
    where: {
      chainId: ctx.chainId,
      state: { in: ['started', 'sent'] },
      from: { in: [...new Set(plans.map(({ charge }) => charge.from))] },
    },
    limit: AT_ONCE,
  });
  const sums = new Map<string, OnTheirWay>();
  for (const charge of found) {
    if (own.has(charge._id)) continue;
    add(sums, charge, ctx.delegates.mover(charge).address);
  }
  return sums;
}

/** Charges found on the chain after a restore, by key: nodes may forget the transactions of an address. */
async function readFound({ records }: SolanaContext, plans: readonly Plan[]): Promise<Map<string, Landed[]>> {
  const keys = plans.map(({ charge }) => charge.key);
  const found = await records.get('foundCharges', keys);
  return new Map(found.map(({ _id, txHash, block }) => [_id, [{ signature: txHash, slot: block }]]));
}

/** Counts one more charge as in flight. */
export function add(sums: Map<string, OnTheirWay>, charge: ChargeDoc, operator: string): void {
  const name = tokenAccountName(charge);
  const { balance, byOperator } = sums.get(name) ?? { balance: 0n, byOperator: new Map<string, bigint>() };
  const gross = BigInt(charge.gross);
  const mine = (byOperator.get(operator) ?? 0n) + gross;
  sums.set(name, { balance: balance + gross, byOperator: new Map([...byOperator, [operator, mine]]) });
}

/** The amounts that charges in flight take from the same allowance and balance. */
export function takenFor(sums: ReadonlyMap<string, OnTheirWay>, charge: ChargeDoc, operator: string): AllowanceState {
  const taken = sums.get(tokenAccountName(charge));
  return { allowance: taken?.byOperator.get(operator) ?? 0n, balance: taken?.balance ?? 0n };
}

function tokenAccountName(charge: ChargeDoc): string {
  return `${assetOf(charge)}:${charge.from}`;
}
