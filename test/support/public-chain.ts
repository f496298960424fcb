import { toBeHex, Wallet, ZeroAddress } from 'ethers';
import { deployRouter } from '../../scripts/ops/contracts/deploy.ts';
import { TOKEN_ROWS } from '../../src/chains/catalog-rows.ts';
import { deployTestTokenData, testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import { LocalChain } from '../../stage/local-chain.ts';
import { receiptOf } from '../../stage/receipt.ts';
import type { PublicChain } from '../../stage/stage.ts';
import { PLAYING_TOKEN_KEY } from '../../stage/tokens.ts';
import { afterEachFile } from '../runner/after.ts';
import { type Anvil, startAnvil } from './anvil.ts';

/** Owns the routers, and has all tokens at first. */
export const OWNER = Wallet.createRandom();

/** The service's only sender. */
export const SENDER = Wallet.createRandom();

/** Where the service's fees go. */
export const PLATFORM = Wallet.createRandom().address;

/** The variable of a process that sends. */
export const SENDING = { SENDER_KEYS_EVM: SENDER.privateKey };

const anvils = new Set<Anvil>();

afterEachFile(async () => {
  await Promise.all([...anvils].map((anvil) => anvil.stop()));
  anvils.clear();
});

/** A node that claims to be of a public chain. */
export interface PlayedChain extends PublicChain {
  readonly rpcUrl: string;
  /** Deploys another router. Resolves with its address. */
  newRouter(): Promise<string>;
}

/**
 * Plays a public chain until the end of the test file: with a router, and with the test token's code at the address
 * of its USDC. `epoch` as in `startAnvil`.
 */
export async function playChain(chainId: number, { epoch = 1 } = {}): Promise<PlayedChain> {
  const anvil = await startAnvil({ chainId, epoch });
  anvils.add(anvil);
  const { rpcUrl, provider } = anvil;
  for (const { address } of [OWNER, SENDER]) {
    await provider.send('anvil_setBalance', [address, toBeHex(100n * 10n ** 18n)]);
  }
  const roles = { owner: OWNER.address, senders: [SENDER.address], guardian: ZeroAddress };
  const parties = { deployerKey: OWNER.privateKey, ...roles, payeeDelay: 0 };
  const newRouter = () => deployRouter({ chainId, rpcUrl, ...parties }, () => undefined);
  const router = await newRouter();
  const chain = new LocalChain({
    rpcUrl,
    chainId,
    router,
    tokens: [{ tokenKey: PLAYING_TOKEN_KEY, address: await placeToken(anvil), decimals: 6 }],
    wallets: [{ name: LocalChain.FAUCET, address: OWNER.address, privateKey: OWNER.privateKey }],
  });
  const variables = { RPC_URL: rpcUrl, ROUTER: router, CONFIRMATIONS: '1' };
  const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [`${name}_${chainId}`, value]));
  return { chain, env: { PLATFORM_WALLET_EVM: PLATFORM, ...env }, rpcUrl, newRouter };
}

/** Puts the token's code at the address of the catalog, and mints for the owner. */
async function placeToken({ provider, chainId }: Anvil): Promise<string> {
  const usdc = TOKEN_ROWS.find((row) => row.chainId === chainId && row.ticker === 'USDC')?.address ?? '';
  const owner = OWNER.connect(provider);
  const data = deployTestTokenData({ name: 'USD Coin', symbol: 'USDC', decimals: 6, owner: owner.address });
  const made = await receiptOf(provider, (await owner.sendTransaction({ data })).hash);
  await provider.send('anvil_setCode', [usdc, await provider.getCode(made.contractAddress ?? '')]);
  const mint = testTokenInterface.encodeFunctionData('mint', [owner.address, 10n ** 15n]);
  await receiptOf(provider, (await owner.sendTransaction({ to: usdc, data: mint })).hash);
  return usdc;
}
