import { invalid } from '../../errors/fault.ts';
import type { Branding, LogoDoc, LogoFacts, MerchantDoc } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import { type AccountDeps, changeAccount, requireMerchant } from './account.ts';
import { imageHeader } from './image-header.ts';
import type { StaffOrder } from './staff-journal.ts';

/** A change of what payers see of a merchant. An absent part stays, and null takes it away. */
export interface BrandingChange {
  /** The file. */
  readonly logo?: Buffer | null | undefined;
  /** `#rrggbb` in lower case. */
  readonly accentColor?: string | null | undefined;
  readonly legalName?: string | null | undefined;
  readonly legalAddress?: string | null | undefined;
}

export const LOGO_BYTES_MAX = 64 * 1024;
const LOGO_SIDE_MAX = 1_024;

export function brandingOf({ branding }: MerchantDoc): Required<Branding> {
  return { logo: null, accentColor: null, legalName: null, legalAddress: null, ...branding };
}

/**
 * Throws 404, and 400 for a file that is no logo. The file is stored before the merchant names it, and the one before
 * it is removed afterwards. A process that dies between leaves a file that nobody names.
 */
export async function setBranding(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  change: BrandingChange,
  order: StaffOrder,
): Promise<MerchantDoc> {
  const { records } = deps.store;
  const now = await requireMerchant(records, merchantId);
  if (Object.values(change).every((part) => part === undefined)) return now;
  const logo = change.logo ? await keepLogo(deps, merchantId, change.logo) : change.logo;
  let before = brandingOf(now);
  const stored = await changeAccount(deps, merchantId, order, (merchant) => {
    before = brandingOf(merchant);
    const after = {
      logo: logo === undefined ? before.logo : logo,
      accentColor: change.accentColor === undefined ? before.accentColor : change.accentColor,
      legalName: change.legalName === undefined ? before.legalName : change.legalName,
      legalAddress: change.legalAddress === undefined ? before.legalAddress : change.legalAddress,
    };
    return { action: 'branding.changed', set: { branding: after }, details: differences(before, after) };
  });
  if (logo !== undefined && before.logo !== null) await records.remove('logos', [before.logo.id]);
  return stored;
}

async function keepLogo(
  { store: { records }, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  file: Buffer,
): Promise<LogoFacts> {
  const now = clock();
  const facts = { id: newId('logo', now), ...requireLogo(file) };
  const doc: LogoDoc = {
    _id: facts.id,
    merchantId,
    type: facts.type,
    base64: file.toString('base64'),
    createdAt: now,
  };
  await records.insert('logos', [doc]);
  return facts;
}

/** Its type and size, by its bytes alone. Throws 400 for anything but a small PNG, JPEG or WebP. */
export function requireLogo(file: Buffer): Omit<LogoFacts, 'id'> {
  if (file.length > LOGO_BYTES_MAX)
    throw invalid(`logo must be at most ${LOGO_BYTES_MAX / 1024} KB; it has ${file.length} bytes`);
  const header = imageHeader(file);
  if (header === null)
    throw invalid('logo must be a PNG, JPEG or WebP picture. SVG is not taken: it can contain scripts');
  const { width, height } = header;
  if (Math.min(width, height) < 1 || Math.max(width, height) > LOGO_SIDE_MAX)
    throw invalid(`logo must be 1 to ${LOGO_SIDE_MAX} pixels wide and high; it is ${width} by ${height}`);
  return { ...header, bytes: file.length };
}

function differences(before: Required<Branding>, after: Required<Branding>) {
  const [old, now] = [before, after].map((branding) => ({ ...branding, logo: branding.logo?.id ?? null }));
  const parts = (['logo', 'accentColor', 'legalName', 'legalAddress'] as const).map(
    (part) => [part, { from: old?.[part] ?? null, to: now?.[part] ?? null }] as const,
  );
  return Object.fromEntries(parts.filter(([, { from, to }]) => from !== to));
}
