import type { AnnouncementDoc } from '../store/collections.ts';
import type { Mode } from '../store/documents.ts';

export type Announced = Pick<AnnouncementDoc, 'chainId' | 'router' | 'merchantId' | 'mode' | 'payee'>;

/** How long an announced payee waits on Solana, and as far as is known on a router: 48 hours in live mode. */
const DELAY_MS = { live: 48 * 3_600_000, test: 0 } as const satisfies Record<Mode, number>;

/** How far a chain's clock may be behind the service's. Without a delay the order of blocks suffices. */
const CLOCKS_MS = 3_600_000;

export function announcementId({ chainId, router, merchantId, mode, payee }: Announced): string {
  return [chainId, router ?? '', merchantId, mode, payee].join(':');
}

/** When charges begin to pay a payee that is announced now. */
export function expectedFrom(mode: Mode, now: Date): Date {
  return usableFrom(new Date(now.getTime() + DELAY_MS[mode]), DELAY_MS[mode]);
}

/** When charges begin to pay a payee that the chain allows at `from`, after a delay in milliseconds. */
export function usableFrom(from: Date, delayMs: number): Date {
  return delayMs === 0 ? from : new Date(from.getTime() + CLOCKS_MS);
}

/** A new announcement, which a sender of its chain makes. */
export function waitingAnnouncement(announced: Announced, now: Date): AnnouncementDoc {
  return {
    ...announced,
    _id: announcementId(announced),
    state: 'waiting',
    from: expectedFrom(announced.mode, now),
    until: null,
    notBefore: now,
    createdAt: now,
    updatedAt: now,
  };
}

/** True if charges can pay it now. */
export function isUsable(
  { state, from, until }: Pick<AnnouncementDoc, 'state' | 'from' | 'until'>,
  now: Date,
): boolean {
  return state === 'announced' && from <= now && (until === null || now < until);
}
