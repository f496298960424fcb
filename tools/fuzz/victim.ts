import { randomBytes } from 'node:crypto';
import { type Ask, friendly, idOf } from './friendly.ts';
import { Possessions } from './possessions.ts';
import type { Others, Owners, Tenant } from './tenants.ts';
import { evmAddress, type Wallets } from './view.ts';
import type { FuzzWorld, Merchant } from './world.ts';

/**
 * A merchant whose data nobody else may see: two resources of every kind in each environment. Others may guess the ids
 * of the first; nobody ever sends those of the second.
 */
export interface Victim {
  readonly merchant: Merchant;
  readonly others: Others;
}

interface Planted {
  readonly possessions: Possessions;
  readonly address: string;
}

export async function plantVictim(world: FuzzWorld, owners: Owners): Promise<Victim> {
  // The fuzzer never sends this text on its own.
  const marker = `marker${randomBytes(6).toString('hex')}`;
  const merchant = await world.newMerchant(`${marker} & sons`);
  const known: Planted[] = [];
  const hidden: Planted[] = [];
  for (const mode of ['test', 'live'] as const) {
    const key = mode === 'test' ? merchant.testKey : merchant.liveKey;
    const position = { marker, owners, wallets: world.wallets, tenant: { merchantId: merchant.id, mode } };
    await friendly(world, key, async (ask) => {
      await ask('PATCH', '/webhooks/endpoint', { url: `https://${marker}.invalid/${mode}` });
      known.push(await plant(ask, `${mode} known`, position));
      hidden.push(await plant(ask, `${mode} hidden`, position));
    });
  }
  const [first, second] = known;
  if (first === undefined || second === undefined) throw new Error('two environments were expected');
  const guessed = Possessions.of(first.possessions, second.possessions);
  const hiddenIds = hidden.flatMap(({ possessions }) => possessions.everyId);
  return {
    merchant,
    others: {
      secrets: [
        ...[marker, merchant.id, merchant.testKey, merchant.liveKey],
        // The list of events has those of the known resources too.
        ...hiddenIds.filter((id) => !guessed.everyId.includes(id)),
        ...hidden.map(({ address }) => address.slice(2)),
      ],
      known: guessed,
      knownAddresses: known.map(({ address }) => address),
    },
  };
}

interface Position {
  readonly marker: string;
  readonly owners: Owners;
  readonly wallets: Wallets;
  readonly tenant: Tenant;
}

async function plant(ask: Ask, which: string, { marker, owners, wallets, tenant }: Position): Promise<Planted> {
  const possessions = new Possessions();
  const address = evmAddress(`${marker} ${which}`);
  const make = async (path: string, body: object): Promise<unknown> => {
    const made = await ask('POST', path, body);
    possessions.learn(made);
    owners.claim(idOf(made), tenant);
    return made;
  };
  const tokenKey = which.endsWith('known') ? 'usdc-base' : 'usdt-ethereum';
  await make('/wallets', { tokenKey, receiverWallet: evmAddress(`${marker} ${which} payout`) });
  const billing = { type: 'recurring', interval: 'month' };
  const metadata = { note: marker };
  const pricing = [
    { amount: '10.00', acceptedTokens: [tokenKey], billing },
    { amount: '20.00', acceptedTokens: [tokenKey], billing },
  ];
  await make('/offers', { name: marker, description: marker, metadata, pricing, idempotencyKey: `offer of ${which}` });
  const customer = await make('/customers', {
    name: marker,
    email: `${marker}@example.com`,
    wallets: [{ chainFamily: 'evm', address }],
  });
  const [price] = possessions.prices;
  await make('/subscriptions', { customerId: idOf(customer), priceId: price?.id, customVariables: { marker } });
  // The payment fails, and does not change after that.
  const payment = { fromWallet: wallets.payers[2], toWallet: wallets.receivers[0], amount: '1.00', tokenKey };
  if (tenant.mode === 'test') await make('/payments', { ...payment, idempotencyKey: `payment of ${which}` });
  possessions.learn(await ask('GET', `/events?limit=100`));
  for (const id of possessions.everyId) owners.claim(id, tenant);
  return { possessions, address };
}
