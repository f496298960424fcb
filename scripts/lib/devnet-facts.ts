import { z } from 'zod';
import { requestJson } from './json-request.ts';
import { ScriptError } from './script.ts';

const wallet = z.object({ name: z.string(), address: z.string(), privateKey: z.string() });
const devnet = z.object({
  evm: z.object({
    rpcUrl: z.string(),
    chainId: z.int(),
    router: z.string(),
    tokens: z.array(z.object({ tokenKey: z.string(), address: z.string(), decimals: z.number() })),
    wallets: z.array(wallet),
  }),
});

/** The local EVM chain in `GET /devnet.json`. */
export type DevnetFacts = z.infer<typeof devnet>['evm'];

export type TestWallet = DevnetFacts['wallets'][number];

export async function devnetFacts({ url }: { readonly url: string }): Promise<DevnetFacts> {
  const request = { method: 'GET', url: `${url}/devnet.json`, schema: devnet, expected: [200] } as const;
  return (await requestJson(request)).evm;
}

/** The test wallet with this name. Throws if there is none. */
export function walletNamed({ wallets }: Pick<DevnetFacts, 'wallets'>, name: string): TestWallet {
  const found = wallets.find((each) => each.name === name);
  if (!found) throw new ScriptError(`/devnet.json has no wallet ${name}`);
  return found;
}

/** The address of a token. Throws if there is none. */
export function tokenNamed({ tokens }: DevnetFacts, tokenKey: string): string {
  const found = tokens.find((each) => each.tokenKey === tokenKey);
  if (!found) throw new ScriptError(`/devnet.json has no token ${tokenKey}`);
  return found.address;
}
