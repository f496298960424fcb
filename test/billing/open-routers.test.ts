import { silentLog } from '../../scripts/lib/silent-log.ts';
import { needsRouter, openRouters } from '../../src/billing/payments/effects/request-charge.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { ChargeDoc } from '../../src/store/collections.ts';
import { PLENTY, scriptedChain } from '../../stage/scripted-chain.ts';
import { charge } from '../store/support/documents.ts';
import { startHttp } from '../support/http.ts';
import { pausedCycle } from './support/paused-cycle.ts';

const payment = (fields: Partial<ChargeDoc> = {}) => charge({ isCycle: false, gross: '10', ...fields });

/** `allowed`: by router, what its open operator may take. Null: the chain does not answer. */
function chosen(routers: readonly string[], allowed: Readonly<Record<string, bigint>> | null, ...of: ChargeDoc[]) {
  const chain = {
    ...scriptedChain(),
    router: routers[0] ?? null,
    routers,
    operatorFor: (...[, , consent]: Parameters<ReturnType<typeof scriptedChain>['operatorFor']>) =>
      `${consent?.isBounded === true ? 'bounded' : 'open'} of ${consent?.router}`,
    readAllowances: async (reads: readonly { readonly operator: string }[]) => {
      if (allowed === null) throw new Error('the node does not answer');
      return reads.map(({ operator }) => ({ ...PLENTY, allowance: allowed[operator.replace('open of ', '')] ?? 0n }));
    },
  };
  return openRouters({ chains: createChains([chain]), log: silentLog }, of);
}

describe('the router of a payment that its allowance alone permits', () => {
  it.each([
    ['the newest that may take the amount', { new: 10n, old: 99n }, 'new'],
    ['an older one, if only that may', { new: 9n, old: 10n }, 'old'],
    ['the oldest one, if only that may', { oldest: 10n }, 'oldest'],
    ['the newest, if none may', { new: 9n, old: 9n }, 'new'],
  ] as const)('is %s', async (_, allowed, router) => {
    const one = payment();
    const other = payment({ gross: '100' });
    const found = await chosen(['new', 'old', 'oldest'], allowed, one, other);
    expect([...found]).toEqual([
      [one._id, router],
      [other._id, 'new'],
    ]);
  });

  it('is the only one, without a question to the chain', async () => {
    const one = payment();
    expect((await chosen(['new'], null, one)).get(one._id)).toBe('new');
    expect((await chosen([], null, one)).size).toBe(0);
  });

  it('is not known while the chain does not answer', async () => {
    const one = payment();
    expect((await chosen(['new', 'old'], null, one)).get(one._id)).toBe('unknown');
  });

  it('is asked for only where nothing else names it', () => {
    expect(needsRouter(payment())).toBe(true);
    expect(needsRouter(payment({ router: 'new' }))).toBe(false);
    expect(needsRouter(payment({ isCycle: true }))).toBe(false);
    expect(needsRouter(payment({ deposit: { kind: 'charge', account: '0x1' } }))).toBe(false);
    expect(needsRouter(payment({ mandate: { id: 'm', cycle: 1 } }))).toBe(false);
  });
});

describe('the router of a cycle whose subscription began before its chain had one', () => {
  it('is the oldest one', async () => {
    const chain = Object.assign(scriptedChain(), { router: null, routers: [] });
    const http = await startHttp({ chains: [chain] });
    const routers = { router: 'new', routers: ['new', 'old'] };
    const { paymentId } = await pausedCycle(http, () => void Object.assign(chain, routers));
    const [first] = await http.store.records.find('charges', { where: { paymentId }, limit: 1 });
    expect(first?.router).toBe('old');
  });
});
