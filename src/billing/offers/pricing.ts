import type { OptionModel } from '../../../machines/rules/price-model.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Catalog, CatalogToken } from '../../chains/catalog.ts';
import { DOLLAR_TICKERS } from '../../chains/catalog-rows.ts';
import { type Fault, invalid } from '../../errors/fault.ts';
import { familyOfAddress } from '../../model/addresses.ts';
import { type Decimal, fitting, isLess, parseAmount, parseDecimal, times, unitsWorth } from '../../model/amounts.ts';
import { requireMinimum, requireToken } from '../../model/tokens.ts';
import type {
  AcceptedToken,
  Billing,
  ChainFamily,
  DestinationWallets,
  PricingOption,
} from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';
import type { Rates } from './rates.ts';

/** A requested pricing option (reference, section 2: PricingOption, rule 2; docs/rules.md, "Offers"). */
export interface PricingInput
  extends Omit<PricingOption, 'id' | 'acceptedTokens' | 'model' | 'merchantDestinationWallet' | 'active'> {
  readonly acceptedTokens: readonly string[];
  /** Absent: the amount is fixed. */
  readonly model?: ModelInput;
  readonly merchantDestinationWallet: string | DestinationWallets | null;
}

/** The model as requested. */
interface ModelInput {
  readonly kind: 'fixed' | 'per_unit';
  readonly minQuantity?: number | undefined;
  readonly maxQuantity?: number | undefined;
  readonly quantityChangedBy?: OptionModel['quantityChangedBy'] | undefined;
}

export interface PricingDeps extends PayoutAddressDeps {
  readonly rates: Rates;
  readonly clock: () => Date;
}

export const OPTIONS_MAX = 50;

const FIAT: readonly string[] = ['USD', 'EUR', 'GBP'];
/** Currencies that are worth one dollar, without a rate (docs/rules.md, "Money"). */
const DOLLARS: ReadonlySet<string> = new Set(['USD', ...DOLLAR_TICKERS]);
const ONE: Decimal = { digits: 1n, scale: 0 };

/** A pricing option that is valid, except perhaps for a price that needs a rate. */
export interface CheckedOption extends Omit<PricingOption, 'id' | 'acceptedTokens' | 'active'> {
  readonly tokens: readonly CatalogToken[];
  /** The name of `amount` in the request. */
  readonly field: string;
}

/** Checks a pricing option. Throws 400 naming a field, with `prefix` before its name. Needs no rate. */
export async function checkOption(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  input: PricingInput,
  { hasSplits, prefix }: { readonly hasSplits: boolean; readonly prefix: string },
): Promise<CheckedOption> {
  const tokens = acceptedTokens(deps.catalog, tenant, input.acceptedTokens, `${prefix}acceptedTokens`);
  if (hasSplits) refuseSolana(tokens, `${prefix}acceptedTokens`);
  const billing = requireBilling(input, prefix);
  const merchantDestinationWallet = await destination(deps, tenant, input.merchantDestinationWallet, tokens, prefix);
  const currency = requireCurrency(deps.catalog, input.currency, `${prefix}currency`);
  const field = `${prefix}amount`;
  const model = modelOf(input, prefix);
  const price = parseDecimal(input.amount, field);
  if (price.digits === 0n || (DOLLARS.has(currency) && isLess(leastCharge(price, model), ONE)))
    throw tooLittle(field, model);
  const { label, amount, trialDays, maxCycles, maxFailedCycles } = input;
  const terms = { label, amount, currency, billing, trialDays, maxCycles, maxFailedCycles, merchantDestinationWallet };
  return { ...terms, ...(model === null ? {} : { model }), tokens, field };
}

/**
 * Freezes the terms of a pricing option: the amount of each accepted token is computed only here. Throws 400 naming
 * `amount`, also if a chain has a least amount that is higher, and 503 if a rate that it needs is unavailable.
 */
export async function freezeOption(
  { rates, clock, catalog }: Pick<PricingDeps, 'rates' | 'clock' | 'catalog'>,
  { mode }: Tenant,
  { tokens, field, ...terms }: CheckedOption,
): Promise<PricingOption> {
  const requireEnough = (token: CatalogToken, units: bigint) => requireMinimum(catalog, mode, token, units, field);
  const acceptedTokens = await frozenAmounts(rates, { ...terms, tokens, field }, requireEnough);
  return { id: newId('price', clock()), ...terms, acceptedTokens, active: true };
}

function acceptedTokens(catalog: Catalog, tenant: Tenant, keys: readonly string[], field: string): CatalogToken[] {
  const tokens = keys.map((key, index) => requireToken(catalog, tenant.mode, key, `${field}[${index}]`));
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) !== index) throw invalid(`${field}[${index}] repeats "${key}"`);
  }
  return tokens;
}

function refuseSolana(tokens: readonly CatalogToken[], field: string): void {
  const index = tokens.findIndex((token) => token.family === 'solana');
  if (index === -1) return;
  throw invalid(`${field}[${index}] is a Solana token, which an offer with splitEvm cannot take`);
}

function requireBilling({ billing, ...limits }: PricingInput, prefix: string): Billing {
  if (billing.type === 'recurring') {
    if (billing.interval === null) throw invalid(`${prefix}billing.interval is required for recurring billing`);
    return { ...billing, intervalCount: billing.intervalCount ?? 1 };
  }
  if (billing.interval !== null) throw invalid(`${prefix}billing.interval is for recurring billing only`);
  if (billing.intervalCount !== null) throw invalid(`${prefix}billing.intervalCount is for recurring billing only`);
  for (const name of ['trialDays', 'maxCycles', 'maxFailedCycles'] as const) {
    if (limits[name] !== null) throw invalid(`${prefix}${name} is for recurring billing only`);
  }
  return billing;
}

const FIXED: ModelInput = { kind: 'fixed' };

/** null: the amount is fixed. */
function modelOf({ model = FIXED, billing }: PricingInput, prefix: string): OptionModel | null {
  const { kind, minQuantity = 1, maxQuantity, quantityChangedBy = 'merchant' } = model;
  switch (kind) {
    case 'fixed':
      for (const name of ['minQuantity', 'maxQuantity', 'quantityChangedBy'] as const) {
        if (model[name] !== undefined) throw invalid(`${prefix}${name} is for the model per_unit only`);
      }
      return null;
    case 'per_unit':
      if (billing.type !== 'recurring') throw invalid(`${prefix}model per_unit is for recurring billing only`);
      if (maxQuantity === undefined) throw invalid(`${prefix}maxQuantity is required for the model per_unit`);
      if (maxQuantity < minQuantity) throw invalid(`${prefix}maxQuantity must be at least minQuantity, ${minQuantity}`);
      return { kind, minQuantity, maxQuantity, quantityChangedBy };
    default:
      return unknownCase(kind, 'model');
  }
}

/** The price of the smallest charge. */
function leastCharge(price: Decimal, model: OptionModel | null | undefined): Decimal {
  return times(price, { digits: BigInt(model?.minQuantity ?? 1), scale: 0 });
}

function requireCurrency(catalog: Catalog, currency: string, field: string): string {
  const code = currency.toUpperCase();
  const tickers = new Set(catalog.chains.flatMap((chain) => chain.tokens.map((token) => token.ticker)));
  if (FIAT.includes(code) || tickers.has(code)) return code;
  throw invalid(`${field} must be one of ${[...FIAT, ...tickers].join(', ')}`);
}

async function destination(
  deps: PayoutAddressDeps,
  tenant: Tenant,
  wanted: string | DestinationWallets | null,
  tokens: readonly CatalogToken[],
  prefix: string,
): Promise<DestinationWallets | null> {
  if (wanted === null) return null;
  const name = `${prefix}merchantDestinationWallet`;
  const checked = (family: ChainFamily, text: string, where: string): Promise<string> => {
    const paid = tokens.filter((token) => token.family === family);
    const chainIds = paid.map(({ chainId }) => chainId);
    const paidOn = { family, chainIds, tokens: paid.map((token) => token.address) };
    return requirePayoutAddress(deps, tenant, paidOn, text, where);
  };
  if (typeof wanted !== 'string') {
    return {
      evm: wanted.evm === null ? null : await checked('evm', wanted.evm, `${name}.evm`),
      solana: wanted.solana === null ? null : await checked('solana', wanted.solana, `${name}.solana`),
    };
  }
  const family = familyOfAddress(wanted);
  if (family === null || !tokens.some((token) => token.family === family)) {
    throw invalid(`${name} must be an address on a chain of the accepted tokens`);
  }
  const address = await checked(family, wanted, name);
  return { evm: family === 'evm' ? address : null, solana: family === 'solana' ? address : null };
}

async function frozenAmounts(
  rates: Rates,
  { amount, currency, tokens, model, field }: Omit<CheckedOption, 'merchantDestinationWallet'>,
  requireEnough: (token: CatalogToken, units: bigint) => void,
): Promise<AcceptedToken[]> {
  const price = parseDecimal(amount, field);
  const dollars = times(price, await usdPer(rates, currency));
  if (isLess(leastCharge(dollars, model), ONE)) throw tooLittle(field, model);
  const frozen: AcceptedToken[] = [];
  for (const token of tokens) {
    const units = isOneToOne(currency, token)
      ? parseAmount(amount, token, field)
      : fitting(unitsWorth(dollars, await usdPer(rates, token.ticker), token.decimals), token.family, field);
    requireEnough(token, units * BigInt(model?.minQuantity ?? 1));
    if (model !== undefined) fitting(units * BigInt(model.maxQuantity), token.family, `${field} for maxQuantity`);
    frozen.push({ tokenKey: token.key, chainId: token.chainId, amountBaseUnits: units.toString() });
  }
  return frozen;
}

function isOneToOne(currency: string, { ticker }: CatalogToken): boolean {
  return currency === ticker || (DOLLARS.has(currency) && DOLLARS.has(ticker));
}

async function usdPer(rates: Rates, currency: string): Promise<Decimal> {
  return DOLLARS.has(currency) ? ONE : rates.usdPer(currency);
}

function tooLittle(field: string, model: OptionModel | null | undefined): Fault {
  const of = model ? ` for minQuantity, ${model.minQuantity},` : '';
  return invalid(`${field}${of} must be at least 1.00 USD or equivalent in the chosen currency`);
}
