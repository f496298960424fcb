import type { AnnouncementDoc } from '../../store/collections.ts';
import { expectedFrom } from '../announcements.ts';
import type { SolanaContext } from './context.ts';

const AT_ONCE = 100;

/**
 * Announces waiting payees: the delay begins. The operator's key signs the moment, so that whoever can write to the
 * database cannot shorten the delay (docs/rules.md, "Wallets").
 */
export async function announcePayees({ records, chainId, clock, delegates, log }: SolanaContext): Promise<void> {
  const due = await records.find('announcements', {
    where: { chainId, state: 'waiting', notBefore: { lte: clock() } },
    sort: [['notBefore', 1]],
    limit: AT_ONCE,
  });
  for (const announcement of due) {
    const from = expectedFrom(announcement.mode, clock());
    const signature = delegates.sign(statementOf({ ...announcement, from }));
    const set: Partial<AnnouncementDoc> = { state: 'announced', from, signature, updatedAt: clock() };
    await records.change('announcements', announcement._id, { state: 'waiting' }, { set });
    log.info({ chainId, announcement: announcement._id, from }, 'a new payee is announced');
  }
}

/** True if this installation has announced the payee from this moment on. */
export function isGenuine({ delegates }: Pick<SolanaContext, 'delegates'>, announcement: AnnouncementDoc): boolean {
  const { signature } = announcement;
  return signature !== null && delegates.hasSigned(statementOf(announcement), signature);
}

function statementOf({ chainId, merchantId, mode, payee, from }: AnnouncementDoc): string {
  return `tideline: on chain ${chainId}, ${payee} may be paid for ${merchantId} (${mode}) from ${from.toISOString()} on`;
}
