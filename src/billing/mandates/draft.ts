import { hexlify, id, randomBytes } from 'ethers';
import type { Terms } from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { NATIVE_COIN } from '../../chains/charges.ts';
import type { MandateDraft } from '../../chains/mandates.ts';
import type { ChainFamily, MandateDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';

/** What a payer is about to agree to. */
export interface Agreed {
  readonly tenant: Tenant;
  readonly family: ChainFamily;
  readonly chainId: number;
  readonly router: string | null;
  readonly payer: string;
  readonly token: string;
  /** The highest amount of one charge, in base units of the playing token. */
  readonly perCharge: bigint;
  /** The most of all charges in any 30 days, in place of a rhythm; null: no such limit. */
  readonly per30Days: bigint | null;
  readonly rhythm: AgreedRhythm;
  /** The platform's wallet and its fee; null: it takes none. */
  readonly platform: { readonly wallet: string; readonly feeBps: number } | null;
  /** The payout destination first, then the recipients of splits. */
  readonly payees: readonly string[];
  /** The agreement in one sentence, as the payer is shown it. */
  readonly statement: string;
  /** The mandates that its subscription has already: of the present terms, and of those of a migration. */
  readonly before: readonly MandateDoc[];
}

export type AgreedRhythm =
  | { readonly kind: 'once' }
  | {
      readonly kind: 'recurring';
      readonly interval: Terms['interval'];
      /** The most charges that are left; null: until it is canceled. */
      readonly charges: number | null;
      /** The start of the period of the first charge, from which the rhythm is counted. */
      readonly startsAt: Date;
    };

const DAY_S = 86_400;

/** The interval of each unit in a mandate. */
const UNITS: Readonly<Record<Terms['interval']['unit'], Pick<Limits, 'interval' | 'months'>>> = {
  day: { interval: DAY_S, months: 0 },
  week: { interval: 7 * DAY_S, months: 0 },
  month: { interval: 0, months: 1 },
  year: { interval: 0, months: 12 },
};
const NO_RHYTHM = { interval: 0, months: 0, start: 0 } as const;

/** A chain's clock may be behind the service's by this much, in seconds. */
const CLOCKS_S = 3_600;

const AGREEMENT_BYTES = 32;
const UINT32_MAX = 2 ** 32 - 1;

/**
 * The mandate to sign (docs/rules.md, "Operators, consent, allowances"). A later one of the same payer and subscription
 * has the same agreement and is issued later, so the chain never takes both; after a revocation it has another one. In
 * test mode there is no rhythm, no start and no limit of 30 days, because the sandbox moves the subscription's clock
 * and never the chain's.
 */
export function draftMandate(agreed: Agreed, now: Date): MandateDraft {
  const { tenant, family, chainId, router, payer, token, rhythm, platform, payees, statement, before } = agreed;
  const isTest = tenant.mode === 'test';
  const per30Days = isTest ? null : agreed.per30Days;
  const own = before.filter((each) => each.payer === payer && each.router === router && !each.revokedAt);
  const [kept] = own.sort((one, other) => other.issuedAt - one.issuedAt);
  const issuedAt = seconds(now);
  return {
    merchantId: tenant.merchantId,
    mode: tenant.mode,
    chainId,
    router,
    payer,
    token,
    perCharge: agreed.perCharge.toString(),
    ...(isTest || per30Days !== null ? { ...limitsOf(rhythm, now), ...NO_RHYTHM } : limitsOf(rhythm, now)),
    issuedAt: kept ? Math.max(issuedAt, kept.issuedAt + 1) : issuedAt,
    platform: platform?.wallet ?? NATIVE_COIN[family],
    feeBps: platform?.feeBps ?? 0,
    payees: [...new Set(payees)],
    agreement: kept?.agreement ?? hexlify(randomBytes(AGREEMENT_BYTES)),
    terms: id(statement),
    ...(per30Days === null ? {} : { per30Days: per30Days.toString() }),
  };
}

type Limits = Pick<MandateDraft, 'charges' | 'interval' | 'months' | 'start' | 'end'>;

function limitsOf(rhythm: AgreedRhythm, now: Date): Limits {
  switch (rhythm.kind) {
    case 'once':
      return { charges: 1, ...NO_RHYTHM, end: seconds(now) + DAY_S + CLOCKS_S };
    case 'recurring': {
      const { interval, charges, startsAt } = rhythm;
      // 0 means no limit.
      const most = charges === null ? 0 : Math.min(Math.max(1, charges), UINT32_MAX);
      const unit = UNITS[interval.unit];
      return {
        charges: most,
        interval: unit.interval * interval.count,
        months: unit.months * interval.count,
        start: Math.max(0, seconds(startsAt) - CLOCKS_S),
        end: 0,
      };
    }
    default:
      return unknownCase(rhythm, 'rhythm');
  }
}

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1_000);
}
