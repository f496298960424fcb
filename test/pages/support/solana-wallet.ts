import { z } from 'zod';
import { keyFromSecret } from '../../../src/chains/solana/keys.ts';
import type { Chromium, Visit, VisitOptions } from '../../support/browser.ts';

export interface SolanaTestWallet {
  readonly name: string;
  readonly address: string;
  readonly secretKey: string;
}

/** A Solana wallet as an extension registers it (Wallet Standard), with a key that signs for the chain at `rpcUrl`. */
export async function visitWithSolanaWallet(
  chromium: Chromium,
  rpcUrl: string,
  { address, secretKey }: SolanaTestWallet,
  { at }: Pick<VisitOptions, 'at'>,
): Promise<Visit> {
  const key = keyFromSecret(secretKey);
  const visit = await chromium.visit({ inject: extension(address) });
  const context = visit.page.context();
  await context.exposeBinding('signOfTest', async (_source, bytes: unknown) => [
    ...key.sign(Uint8Array.from(z.array(z.number()).parse(bytes))),
  ]);
  await context.exposeBinding('sendOfTest', async (_source, bytes: unknown) => {
    const transaction = Uint8Array.from(z.array(z.number()).parse(bytes));
    const signature = key.sign(transaction.slice(65));
    transaction.set(signature, 1);
    await send(rpcUrl, Buffer.from(transaction).toString('base64'));
    return [...signature];
  });
  if (at !== undefined) await visit.page.goto(at);
  return visit;
}

async function send(rpcUrl: string, transaction: string): Promise<void> {
  const params = [transaction, { encoding: 'base64', preflightCommitment: 'confirmed' }];
  const response = await fetch(rpcUrl, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
  });
  const answer = z.looseObject({ error: z.object({ message: z.string() }).optional() }).parse(await response.json());
  if (answer.error) throw new Error(answer.error.message);
}

function extension(address: string): string {
  return `(() => {
    const account = { address: ${JSON.stringify(address)}, publicKey: new Uint8Array(32), chains: ['solana:localnet'], features: [] };
    const wallet = {
      version: '1.0.0',
      name: 'Sunny',
      icon: 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="orange"/></svg>'),
      chains: ['solana:localnet'],
      accounts: [account],
      features: {
        'standard:connect': { version: '1.0.0', connect: async (input) => {
          window.connectsOfTest = [...(window.connectsOfTest ?? []), input ?? null];
          return { accounts: [account] };
        } },
        'solana:signMessage': {
          version: '1.0.0',
          signMessage: async ({ message }) => [{ signature: new Uint8Array(await window.signOfTest([...message])) }],
        },
        'solana:signAndSendTransaction': {
          version: '1.0.0',
          signAndSendTransaction: async ({ transaction }) => [
            { signature: new Uint8Array(await window.sendOfTest([...transaction])) },
          ],
        },
      },
    };
    const register = (api) => api.register(wallet);
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  })();`;
}
