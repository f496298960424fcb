import type { Metered, MeteredOption, OptionModel, QuantityLimits } from '../../../machines/rules/price-model.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { Catalog, CatalogToken } from '../../chains/catalog.ts';
import { DOLLAR_TICKERS } from '../../chains/catalog-rows.ts';
import { type Fault, invalid } from '../../errors/fault.ts';
import { familyOfAddress } from '../../model/addresses.ts';
import {
  type Decimal,
  fitting,
  formatAmount,
  isLess,
  parseAmount,
  parseDecimal,
  times,
  unitsWorth,
} from '../../model/amounts.ts';
import { minimumOf, requireMinimum, requireToken } from '../../model/tokens.ts';
import type {
  AcceptedToken,
  Billing,
  ChainFamily,
  DestinationWallets,
  PricingOption,
} from '../../store/collections.ts';
import type { Mode, Tenant } from '../../store/documents.ts';
import { newId } from '../../store/ids.ts';
import { type PayoutAddressDeps, requirePayoutAddress } from '../payout/payout-address.ts';
import { CURRENCIES, type Rates } from './rates.ts';

/** A requested pricing option (reference, section 2: PricingOption, rule 2; docs/rules.md, "Offers"). */
export interface PricingInput
  extends Omit<PricingOption, 'id' | 'acceptedTokens' | 'model' | 'merchantDestinationWallet' | 'active'> {
  readonly acceptedTokens: readonly string[];
  /** Absent: the amount is fixed. */
  readonly model?: ModelInput;
  readonly merchantDestinationWallet: string | DestinationWallets | null;
}

type ModelFields = Omit<QuantityLimits & MeteredOption, 'kind'>;

/** The model as requested, with the fields of every model. */
type ModelInput = { readonly kind: 'fixed' | OptionModel['kind'] } & {
  readonly [F in keyof ModelFields]?: ModelFields[F] | undefined;
};

export interface PricingDeps extends PayoutAddressDeps {
  readonly rates: Rates;
  readonly clock: () => Date;
}

export const OPTIONS_MAX = 50;

const FIAT: readonly string[] = CURRENCIES;
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
  if (model?.kind === 'metered' && price.digits === 0n) throw invalid(`${field} must be more than 0`);
  if (model?.kind === 'metered' && isLess(parseDecimal(model.capAmount, 'capAmount'), price))
    throw invalid(`${prefix}capAmount must be at least amount, the price of one unit`);
  if (model?.kind === 'metered') requireThreshold(model, prefix);
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
  deps: Pick<PricingDeps, 'rates' | 'clock' | 'catalog'>,
  { mode }: Tenant,
  { tokens, field, ...terms }: CheckedOption,
): Promise<PricingOption> {
  const acceptedTokens = await frozenAmounts(deps, mode, { ...terms, tokens, field });
  return { id: newId('price', deps.clock()), ...terms, acceptedTokens, active: true };
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

/** The fields of each model that varies. */
const FIELDS = {
  per_unit: ['minQuantity', 'maxQuantity', 'quantityChangedBy'],
  metered: ['includedUnits', 'tiers', 'capAmount', 'aboveCap', 'thresholdAmount', 'windowCapAmount'],
} as const;

/** null: the amount is fixed. */
function modelOf(input: PricingInput, prefix: string): OptionModel | null {
  const { model = FIXED, billing } = input;
  const { kind, minQuantity = 1, maxQuantity, quantityChangedBy = 'merchant' } = model;
  for (const owner of ['per_unit', 'metered'] as const) {
    const other = owner === kind ? undefined : FIELDS[owner].find((name) => model[name] !== undefined);
    if (other !== undefined) throw invalid(`${prefix}${other} is for the model ${owner} only`);
  }
  if (kind !== 'fixed' && billing.type !== 'recurring')
    throw invalid(`${prefix}model ${kind} is for recurring billing only`);
  switch (kind) {
    case 'fixed':
      return null;
    case 'metered':
      return meteredOf(model, input, prefix);
    case 'per_unit':
      if (maxQuantity === undefined) throw invalid(`${prefix}maxQuantity is required for the model per_unit`);
      if (maxQuantity < minQuantity) throw invalid(`${prefix}maxQuantity must be at least minQuantity, ${minQuantity}`);
      return { kind, minQuantity, maxQuantity, quantityChangedBy };
    default:
      return unknownCase(kind, 'model');
  }
}

function meteredOf(
  { includedUnits = 0, tiers = [], capAmount, aboveCap = 'carry', thresholdAmount, windowCapAmount }: ModelInput,
  { trialDays, maxCycles }: PricingInput,
  prefix: string,
): MeteredOption {
  if (capAmount === undefined) throw invalid(`${prefix}capAmount is required for the model metered`);
  if (trialDays)
    throw invalid(`${prefix}trialDays is not for the model metered: its first charge comes after the first period`);
  for (const [index, { above }] of tiers.entries()) {
    const before = tiers[index - 1]?.above ?? includedUnits;
    if (above <= before)
      throw invalid(`${prefix}tiers[${index}].above must be more than ${before}, in ascending order`);
  }
  const option = { kind: 'metered', includedUnits, tiers, capAmount, aboveCap } as const;
  if (thresholdAmount === undefined && windowCapAmount === undefined) return option;
  if (thresholdAmount === undefined || windowCapAmount === undefined)
    throw invalid(`${prefix}thresholdAmount and windowCapAmount come together`);
  if (maxCycles !== null)
    throw invalid(`${prefix}maxCycles is not for a price with thresholdAmount: its charges have no fixed number`);
  return { ...option, thresholdAmount, windowCapAmount };
}

/** Threshold ≤ cap of a charge ≤ cap of 30 days. Throws 400. */
function requireThreshold({ thresholdAmount, capAmount, windowCapAmount }: MeteredOption, prefix: string): void {
  if (thresholdAmount === undefined || windowCapAmount === undefined) return;
  const cap = parseDecimal(capAmount, 'capAmount');
  if (isLess(cap, parseDecimal(thresholdAmount, `${prefix}thresholdAmount`)))
    throw invalid(`${prefix}thresholdAmount must be at most capAmount`);
  if (isLess(parseDecimal(windowCapAmount, `${prefix}windowCapAmount`), cap))
    throw invalid(`${prefix}windowCapAmount must be at least capAmount`);
}

/** The amount that must reach the least price: the smallest charge, or the cap of a metered price. */
function leastCharge(price: Decimal, model: OptionModel | null | undefined): Decimal {
  switch (model?.kind) {
    case undefined:
      return price;
    case 'per_unit':
      return times(price, { digits: BigInt(model.minQuantity), scale: 0 });
    case 'metered':
      return parseDecimal(model.capAmount, 'capAmount');
  }
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
  { rates, catalog }: Pick<PricingDeps, 'rates' | 'catalog'>,
  mode: Mode,
  { amount, currency, tokens, model, field }: Omit<CheckedOption, 'merchantDestinationWallet'>,
): Promise<AcceptedToken[]> {
  const perDollar = await usdPer(rates, currency);
  if (isLess(times(leastCharge(parseDecimal(amount, field), model), perDollar), ONE)) throw tooLittle(field, model);
  const frozen: AcceptedToken[] = [];
  for (const token of tokens) {
    const isConverted = !isOneToOne(currency, token);
    const perToken = isConverted ? await usdPer(rates, token.ticker) : perDollar;
    const convert = (text: string, name: string): bigint =>
      isConverted
        ? fitting(unitsWorth(times(parseDecimal(text, name), perDollar), perToken, token.decimals), token.family, name)
        : parseAmount(text, token, name);
    const one = { tokenKey: token.key, chainId: token.chainId };
    if (model?.kind === 'metered') {
      const { unitAmount, ...metered } = frozenTiers({ amount, model, field }, { token, convert, isConverted });
      requireMinimum(catalog, mode, token, BigInt(metered.capAmount), field);
      const leastAmount = greatest(
        unitsWorth(ONE, perToken, token.decimals),
        minimumOf(catalog, mode, token),
      ).toString();
      const { thresholdAmount } = metered;
      if (thresholdAmount !== undefined && BigInt(thresholdAmount) < BigInt(leastAmount))
        throw tooLittle(field.replace(/amount$/, 'thresholdAmount'), undefined);
      frozen.push({ ...one, amountBaseUnits: unitAmount, metered: { ...metered, leastAmount } });
      continue;
    }
    const units = convert(amount, field);
    requireMinimum(catalog, mode, token, units * BigInt(model?.minQuantity ?? 1), field);
    if (model !== undefined) fitting(units * BigInt(model.maxQuantity), token.family, `${field} for maxQuantity`);
    frozen.push({ ...one, amountBaseUnits: units.toString() });
  }
  return frozen;
}

function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** A converted unit price has at least so many base units: rounding up adds at most a hundredth. */
const CONVERTED_UNIT_MIN = 100n;

interface Conversion {
  readonly token: CatalogToken;
  readonly convert: (text: string, name: string) => bigint;
  readonly isConverted: boolean;
}

/** The tiers and the cap in one token. Throws 400 with the least unit price where the token cannot express one. */
function frozenTiers(
  { amount, model, field }: { readonly amount: string; readonly model: MeteredOption; readonly field: string },
  { token, convert, isConverted }: Conversion,
): Omit<Metered, 'kind' | 'aboveCap' | 'leastAmount'> & { readonly unitAmount: string } {
  const prefix = field.slice(0, -'amount'.length);
  const unitPrice = (text: string, name: string): string => {
    const { digits, scale } = parseDecimal(text, name);
    const isTooFine = !isConverted && digits % 10n ** BigInt(Math.max(0, scale - token.decimals)) !== 0n;
    const units = isTooFine ? 0n : convert(text, name);
    if (digits === 0n || (!isTooFine && (!isConverted || units >= CONVERTED_UNIT_MIN))) return units.toString();
    const least = `${formatAmount(isConverted ? CONVERTED_UNIT_MIN : 1n, token.decimals)} ${token.ticker}`;
    throw invalid(
      `${name} must be ${isConverted ? 'worth at least' : 'a multiple of'} ${least}, the least price of one unit in this token`,
    );
  };
  const unitAmount = unitPrice(amount, field);
  const capAmount = convert(model.capAmount, `${prefix}capAmount`).toString();
  const { includedUnits } = model;
  const tiers = [
    ...(includedUnits === 0 ? [] : [{ above: 0, unitAmount: '0' }]),
    { above: includedUnits, unitAmount },
    ...model.tiers.map((tier, at) => ({
      above: tier.above,
      unitAmount: unitPrice(tier.amount, `${prefix}tiers[${at}].amount`),
    })),
  ];
  const { thresholdAmount, windowCapAmount } = model;
  return {
    ...{ unitAmount, tiers, capAmount },
    ...(thresholdAmount === undefined || windowCapAmount === undefined
      ? {}
      : {
          thresholdAmount: convert(thresholdAmount, `${prefix}thresholdAmount`).toString(),
          windowCapAmount: convert(windowCapAmount, `${prefix}windowCapAmount`).toString(),
        }),
  };
}

function isOneToOne(currency: string, { ticker }: CatalogToken): boolean {
  return currency === ticker || (DOLLARS.has(currency) && DOLLARS.has(ticker));
}

async function usdPer(rates: Rates, currency: string): Promise<Decimal> {
  return DOLLARS.has(currency) ? ONE : rates.usdPer(currency);
}

function tooLittle(field: string, model: OptionModel | null | undefined): Fault {
  const name = model?.kind === 'metered' ? field.replace(/amount$/, 'capAmount') : field;
  const of = model?.kind === 'per_unit' ? ` for minQuantity, ${model.minQuantity},` : '';
  return invalid(`${name}${of} must be at least 1.00 USD or equivalent in the chosen currency`);
}
