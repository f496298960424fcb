import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import type { Devnet, JoinOptions } from '../../devnet/join.ts';
import { solanaGenesisHash } from '../../devnet/solana-marker.ts';
import { solanaWorld } from '../../devnet/solana-world.ts';
import { listen } from '../../stage/loopback.ts';
import { callSolana, SolanaUser } from '../support/solana.ts';
import { joinAt, SOLANA_ONLY, tempFolder } from './support/folders.ts';
import { processOf, SUPERVISOR, untilNoneIsLeft } from './support/processes.ts';

function joinSolana(dataDir: string, options: Partial<JoinOptions> = {}): Promise<Devnet> {
  return joinAt(dataDir, { ...SOLANA_ONLY, ...options });
}

function userOf({ solana, folderId }: Devnet): SolanaUser {
  return new SolanaUser(solanaWorld(solana?.rpcUrl ?? '', solanaGenesisHash(folderId)));
}

describe('the local Solana chain', () => {
  it('continues on the same port after a graceful restart and after a kill', async () => {
    const dataDir = await tempFolder();
    const first = await joinSolana(dataDir);
    const user = userOf(first);
    const [payer, to, delegate] = [user.wallet('payer-1'), Keypair.generate(), Keypair.generate()];
    const paid = await user.transfer(payer, to.publicKey, 5_000n, 'USDT');
    const slot = await user.connection.getSlot('processed');
    await first.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);

    const second = await joinSolana(dataDir);
    expect(second.solana).toEqual(first.solana);
    expect(await user.balanceOf(to.publicKey, 'USDT')).toBe(5_000n);
    expect((await user.connection.getTransaction(paid, { commitment: 'confirmed' }))?.meta?.err).toBeNull();
    expect(await user.connection.getSlot('processed')).toBeGreaterThan(slot);
    await user.approve(payer, delegate.publicKey.toBase58(), 9n);
    const lost = new Promise<string>((resolve) => second.onLost(resolve));
    process.kill(await processOf(dataDir, SUPERVISOR), 'SIGKILL');
    await lost;
    await untilNoneIsLeft(dataDir);
    await appendFile(join(dataDir, 'solana-chain.jsonl'), '{"slot": 12, "transac');

    const third = await joinSolana(dataDir);
    expect(third.solana).toEqual(first.solana);
    expect(await user.token(payer.publicKey)).toMatchObject({ delegatedAmount: 9n, delegate: delegate.publicKey });
    expect(await user.connection.getSignaturesForAddress(payer.publicKey)).toHaveLength(2);
    await user.revoke(payer);
    await third.leave({ graceful: true });
  });

  it('reports that its port is taken, and the setting for another one', async () => {
    const server = createServer((_request, response) => response.end('{}'));
    const port = await listen(server);
    const dataDir = await tempFolder();
    await expect(joinSolana(dataDir, { solanaPort: port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1, meant for the local Solana chain, is taken by another process. Set LOCAL_SOLANA_PORT`,
    );
    server.close();
    const devnet = await joinSolana(dataDir, { solanaPort: port });
    expect(devnet.solana?.rpcUrl).toBe(`http://127.0.0.1:${port}`);
    expect(await callSolana(devnet.solana?.rpcUrl ?? '', 'getGenesisHash', [])).toBe(
      solanaGenesisHash(devnet.folderId),
    );
  });

  it('does not start from a file that is not its own', async () => {
    const dataDir = await tempFolder();
    const devnet = await joinSolana(dataDir);
    await devnet.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);
    const file = join(dataDir, 'solana-chain.jsonl');
    const whole = await readFile(file, 'utf8');
    await writeFile(file, whole.replace(devnet.folderId, 'e'.repeat(32)));
    await expect(joinSolana(dataDir)).rejects.toThrow('is the chain of another data folder; npm run reset');
    await writeFile(file, 'something else\n');
    await expect(joinSolana(dataDir)).rejects.toThrow('is not a local Solana chain; npm run reset');
  });
});
