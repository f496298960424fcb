import { formatUnits } from 'ethers';
import type { Chain } from 'tideline/client';
import { walletNamed } from '../lib/devnet-facts.ts';
import { ScriptError } from '../lib/script.ts';
import type { Expectations } from './expectations.ts';
import { Merchant } from './merchant.ts';
import type { Timeline } from './timeline.ts';
import { shortened } from './timeline.ts';
import type { World } from './world.ts';

/**
 * The token that the merchant requests. A test key plays it on the local chain (docs/rules.md, "Environments, chains, tokens").
 */
export const TOKEN_KEY = 'usdc-base';

/** The playing token on the local chain. */
export interface PlayedToken {
  readonly address: string;
  readonly decimals: number;
}

/** A merchant that is ready for subscriptions. */
export interface Shop {
  readonly merchant: Merchant;
  readonly payoutWallet: string;
  readonly token: PlayedToken;
  /** The address that payers approve. */
  readonly operator: string;
}

interface Deps {
  readonly world: World;
  readonly timeline: Timeline;
  readonly expect: Expectations;
}

/** Makes a merchant with a webhook endpoint and a payout wallet. */
export async function openShop({ world, timeline, expect }: Deps): Promise<Shop> {
  const merchant = await Merchant.signUp({ url: world.url, token: world.staffToken }, 'Coffee Club');
  const now = () => new Date().toISOString();
  timeline.add({ at: now(), what: 'A merchant signs up' });

  await merchant.api.webhooks.setEndpoint({ url: world.receiver.url });
  world.receiver.setSecret((await merchant.api.webhooks.rotateSecret()).secret);
  timeline.add({ at: now(), what: `Webhooks: ${new URL(world.receiver.url).host}` });

  const { address: payoutWallet } = walletNamed(world.chain, 'merchant');
  await merchant.api.wallets.register({ tokenKey: TOKEN_KEY, receiverWallet: payoutWallet });
  timeline.add({ at: now(), what: `Payout wallet: ${shortened(payoutWallet)}` });
  await world.receiver.until('wallet.updated', ({ event }) => event === 'wallet.updated');

  const { chains } = await merchant.api.currencies.list({ includeTestnets: true });
  const asked = chains.find(({ tokens }) => tokens.some(({ key }) => key === TOKEN_KEY));
  expect.equal(`GET /currencies says that the local chain plays ${TOKEN_KEY}`, asked?.playedBy, world.chain.chainId);
  return { merchant, payoutWallet, token: playedToken(chains, asked), operator: operatorOf(asked) };
}

/** The token of the playing chain with the same ticker and decimals. */
function playedToken(chains: readonly Chain[], asked: Chain | undefined): PlayedToken {
  const wanted = asked?.tokens.find(({ key }) => key === TOKEN_KEY);
  const playing = chains.find(({ chainId }) => chainId === asked?.playedBy);
  const found = playing?.tokens.find(
    ({ ticker, decimals }) => ticker === wanted?.ticker && decimals === wanted.decimals,
  );
  if (!found?.address) throw new ScriptError(`GET /currencies names no token that plays ${TOKEN_KEY}`);
  return { address: found.address, decimals: found.decimals };
}

function operatorOf(asked: Chain | undefined): string {
  if (!asked?.operator) throw new ScriptError(`GET /currencies names no operator for ${TOKEN_KEY}`);
  return asked.operator;
}

/** Base units in display form: `9.90`, `0.099`; with at least `places` decimals. */
export function money(units: bigint, { decimals }: PlayedToken, places = 2): string {
  const [whole = '0', fraction = ''] = formatUnits(units, decimals).split('.');
  return `${whole}.${fraction.padEnd(places, '0')}`;
}
