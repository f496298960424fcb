import { z } from 'zod';
import { requestJson } from '../../scripts/lib/json-request.ts';

const wallet = z.object({ name: z.string(), address: z.string(), privateKey: z.string() });
const devnet = z.object({
  evm: z.object({
    rpcUrl: z.string(),
    router: z.string(),
    tokens: z.array(z.object({ tokenKey: z.string(), address: z.string(), decimals: z.number() })),
    wallets: z.array(wallet),
  }),
});

/** The local EVM chain as `GET /devnet.json` tells of it. */
export type DevnetFacts = z.infer<typeof devnet>['evm'];

export async function devnetFacts({ url }: { readonly url: string }): Promise<DevnetFacts> {
  const request = { method: 'GET', url: `${url}/devnet.json`, schema: devnet, expected: [200] } as const;
  return (await requestJson(request)).evm;
}

/** The test wallet of this name. Throws when there is none. */
export function walletNamed({ wallets }: Pick<DevnetFacts, 'wallets'>, name: string): DevnetFacts['wallets'][number] {
  const found = wallets.find((each) => each.name === name);
  if (!found) throw new Error(`/devnet.json has no wallet ${name}`);
  return found;
}

/** The address of a token. Throws when there is none. */
export function tokenNamed({ tokens }: DevnetFacts, tokenKey: string): string {
  const found = tokens.find((each) => each.tokenKey === tokenKey);
  if (!found) throw new Error(`/devnet.json has no token ${tokenKey}`);
  return found.address;
}
