import { explorerUrl } from '../../chains/catalog.ts';
import { assetOf, NATIVE_COIN } from '../../chains/charges.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { momentsOf } from '../../http/schemas.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ChargeView } from '../wire.ts';

const PER_PAYMENT = 30;

/** The newest charges of each payment, in the order of the payments. */
export async function chargesOf(deps: HttpDeps, paymentIds: readonly string[]): Promise<ChargeView[]> {
  const found = await Promise.all(
    paymentIds.map((paymentId) =>
      deps.store.records.find('charges', { where: { paymentId }, sort: [['attempt', -1]], limit: PER_PAYMENT }),
    ),
  );
  const charges = found.flat();
  const heads = await headsOf(deps, new Set(charges.map(({ chainId }) => chainId)));
  return charges.map((charge) => chargeView(deps, charge, heads.get(charge.chainId) ?? null));
}

async function headsOf({ chains }: HttpDeps, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, number | null>> {
  const heads = [...ids].map(async (id) => [id, (await chains.get(id)?.health())?.head ?? null] as const);
  return new Map(await Promise.all(heads));
}

/** The name of the base units of an asset outside of the catalog. */
function nameOf(asset: string): string {
  if (asset === NATIVE_COIN.evm) return 'wei';
  return asset === NATIVE_COIN.solana ? 'lamports' : asset;
}

export function chargeView(deps: Pick<HttpDeps, 'catalog'>, charge: ChargeDoc, head: number | null): ChargeView {
  const chain = deps.catalog.chain(charge.chainId);
  const asset = assetOf(charge);
  const token = chain?.tokens.find(({ address }) => address.toLowerCase() === asset.toLowerCase());
  const inTokens = (units: string) => formatAmount(BigInt(units), token?.decimals ?? 0);
  const { block, txHash } = charge;
  return {
    id: charge._id,
    attempt: charge.attempt,
    paymentId: charge.paymentId,
    state: charge.state,
    chainId: charge.chainId,
    chain: chain?.label ?? `chain ${charge.chainId}`,
    token: token?.ticker ?? nameOf(asset),
    amount: inTokens(charge.gross),
    from: charge.from,
    shares: charge.shares.map(({ role, to, amount }) => ({ role, to, amount: inTokens(amount) })),
    txHash,
    block: block?.number ?? null,
    confirmations: block === null || head === null ? null : Math.max(0, head - block.number + 1),
    explorer: txHash === null ? null : explorerUrl(charge.chainId, txHash),
    reason: charge.reason,
    note: charge.note ?? null,
    refusal: charge.refusal?.text ?? null,
    ...momentsOf(charge),
  };
}
