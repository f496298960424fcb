import type { MerchantsDeps } from '../../src/billing/administration/merchants.ts';
import { openInvitation } from '../../src/billing/members/invitations.ts';
import { findMemberSession } from '../../src/billing/members/sessions.ts';
import { firstMerchant } from '../../src/service/first-merchant.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';

/** Starts on one data folder, one after another. */
function starts() {
  const deps = { store: openMemoryStore(), clock: () => new Date(), platformFeeBps: 100 };
  const start = (welcome: MerchantsDeps['welcome'] = async () => undefined) => firstMerchant({ ...deps, welcome });
  return { start, deps };
}

describe('the first merchant of a data folder', () => {
  it('is made at the first start, and at no later one', async () => {
    const { start } = starts();
    expect(await start()).toMatchObject({ merchant: { name: 'First merchant' } });
    expect(await start()).toBeNull();
  });

  it('comes with a link that signs its admin in once', async () => {
    const { start, deps } = starts();
    const first = await start();
    const token = first?.invitation ?? '';
    const { secret } = await openInvitation(deps, token);
    const session = await findMemberSession(deps, secret);
    expect(session?.member).toMatchObject({ merchantId: first?.merchant._id, role: 'admin' });
    await expect(openInvitation(deps, token)).rejects.toThrow();
  });

  it('is made at the next start if this one fails during it, because nobody has seen its keys', async () => {
    const { start } = starts();
    const failing = start(async () => {
      throw new Error('the local chain does not answer');
    });
    await expect(failing).rejects.toThrow('the local chain does not answer');
    expect(await start()).toMatchObject({ merchant: { name: 'First merchant' } });
    expect(await start()).toBeNull();
  });
});
