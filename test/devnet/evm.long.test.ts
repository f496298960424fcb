import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JsonRpcProvider, parseEther, Wallet } from 'ethers';
import type { Devnet } from '../../devnet/join.ts';
import { connectTo } from '../../stage/local-chain.ts';
import { listen } from '../../stage/loopback.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { until } from '../../stage/until.ts';
import { joinAt, tempFolder } from './support/folders.ts';
import { EVM_NODE, processOf, SUPERVISOR, untilGone, untilNoneIsLeft } from './support/processes.ts';

const FUNDED = new Wallet(`0x${'11'.repeat(32)}`);
const RECEIVER = `0x${'22'.repeat(20)}`;

async function withChain<T>({ evm }: Devnet, use: (provider: JsonRpcProvider) => Promise<T>): Promise<T> {
  const provider = connectTo({ rpcUrl: evm?.rpcUrl ?? '', chainId: 31337 });
  try {
    return await use(provider);
  } finally {
    provider.destroy();
  }
}

async function fund(provider: JsonRpcProvider): Promise<void> {
  await provider.send('anvil_setBalance', [FUNDED.address, '0x56bc75e2d63100000']);
}

async function pay(provider: JsonRpcProvider, value: string): Promise<string> {
  const request = { to: RECEIVER, value: parseEther(value), gasLimit: 21_000n, gasPrice: 10n ** 11n };
  return (await FUNDED.connect(provider).sendTransaction(request)).hash;
}

/** A busy machine stops a process for as long as this. */
const STILL_MS = 6_000;

const received = (devnet: Devnet) => withChain(devnet, (provider) => provider.getBalance(RECEIVER));

describe('the local EVM chain', () => {
  it('is the same chain, on the same port, after a graceful restart', async () => {
    const dataDir = await tempFolder();
    const before = await joinAt(dataDir);
    const kept = await withChain(before, async (provider) => {
      await fund(provider);
      const hash = await pay(provider, '1');
      await receiptOf(provider, hash);
      const code = '0x600160005260206000f3';
      await provider.send('anvil_setCode', [`0x${'33'.repeat(20)}`, code]);
      // Sent without waiting: the pool's transactions are mined at the end, not lost.
      const last = await pay(provider, '2');
      return { hash, last, code, head: await provider.getBlock('latest') };
    });
    await before.leave({ graceful: true });
    await untilNoneIsLeft(dataDir);

    const after = await joinAt(dataDir);
    expect(after.evm).toEqual(before.evm);
    await withChain(after, async (provider) => {
      expect((await provider.getBlock(kept.head?.number ?? -1))?.hash).toBe(kept.head?.hash);
      expect((await provider.getTransactionReceipt(kept.hash))?.status).toBe(1);
      expect((await provider.getTransactionReceipt(kept.last))?.status).toBe(1);
      expect(await provider.getCode(`0x${'33'.repeat(20)}`)).toBe(kept.code);
      await receiptOf(provider, await pay(provider, '1'));
      expect(Math.abs(((await provider.getBlock('latest'))?.timestamp ?? 0) - Date.now() / 1000)).toBeLessThan(3);
    });
    expect(await received(after)).toBe(parseEther('4'));
  });

  it('has its last saved state when everything was killed', async () => {
    const dataDir = await tempFolder();
    const before = await joinAt(dataDir);
    const file = join(dataDir, 'evm-state.json');
    const saved = await withChain(before, async (provider) => {
      await fund(provider);
      await receiptOf(provider, await pay(provider, '1'));
      const head = await provider.getBlockNumber();
      const savedHead = async () => JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))['best_block_number'];
      await until(`${file} has block ${head}`, savedHead, (saved) => Number(saved) >= head);
      return head;
    });
    const supervisor = await processOf(dataDir, SUPERVISOR);
    process.kill(supervisor, 'SIGKILL');
    await untilGone(dataDir, supervisor);
    const after = await joinAt(dataDir);
    expect(await withChain(after, (provider) => provider.getBlockNumber())).toBeGreaterThanOrEqual(saved);
    expect(await received(after)).toBe(parseEther('1'));
  });

  it('is a new chain if it is not saved', async () => {
    const dataDir = await tempFolder();
    const before = await joinAt(dataDir, { savesEvm: false });
    await withChain(before, async (provider) => {
      await fund(provider);
      await receiptOf(provider, await pay(provider, '1'));
    });
    await before.leave({ graceful: true });
    expect(await readdir(dataDir)).not.toContain('evm-state.json');
    const after = await joinAt(dataDir);
    expect(await received(after)).toBe(0n);
  });

  it('leaves a readable state whenever it is killed', async () => {
    const dataDir = await tempFolder();
    for (let round = 0; round < 4; round += 1) {
      const devnet = await joinAt(dataDir);
      await withChain(devnet, async (provider) => {
        await fund(provider);
        // Endless blocks, so that a save is under way, or about to start, whenever the kill comes.
        await Promise.all(Array.from({ length: 20 * (round + 1) }, () => provider.send('evm_mine', [])));
      });
      process.kill(await processOf(dataDir, round % 2 === 0 ? SUPERVISOR : EVM_NODE), 'SIGKILL');
      await untilNoneIsLeft(dataDir);
    }
    expect((await joinAt(dataDir)).evm).toBeDefined();
  });

  it('may stand still for a while when another service joins', async () => {
    const dataDir = await tempFolder();
    const first = await joinAt(dataDir);
    const node = await processOf(dataDir, EVM_NODE);
    process.kill(node, 'SIGSTOP');
    const second = joinAt(dataDir);
    await delay(STILL_MS).finally(() => process.kill(node, 'SIGCONT'));
    expect((await second).evm).toEqual(first.evm);
  });

  it("is refused if the saved state is another folder's or unreadable, with the remedy", async () => {
    const [one, other] = [await tempFolder(), await tempFolder()];
    await (await joinAt(one)).leave({ graceful: true });
    await (await joinAt(other)).leave({ graceful: true });
    await writeFile(join(other, 'evm-state.json'), await readFile(join(one, 'evm-state.json')));
    await expect(joinAt(other)).rejects.toThrow(/another data folder's chain.*npm run reset/);
    await untilNoneIsLeft(other);
    await writeFile(join(other, 'evm-state.json'), '');
    await expect(joinAt(other)).rejects.toThrow(/EVM node has ended \(exit code 2.*npm run reset/);
    await untilNoneIsLeft(other);
  });
});

describe('the port of the local EVM chain', () => {
  it('is named if another process has it', async () => {
    const server = createServer((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x"}'));
    const port = await listen(server);
    const dataDir = await tempFolder();
    await expect(joinAt(dataDir, { evmPort: port })).rejects.toThrow(
      `Port ${port} on 127.0.0.1, meant for the local EVM chain, is taken by another process. Set LOCAL_EVM_PORT`,
    );
    await untilNoneIsLeft(dataDir);
    server.close();
  });

  it('is another free one if the last one is taken and any will do', async () => {
    const dataDir = await tempFolder();
    const before = await joinAt(dataDir);
    await before.leave({ graceful: true });
    const server = createServer();
    await listen(server, Number(new URL(before.evm?.rpcUrl ?? '').port));
    const after = await joinAt(dataDir);
    expect(after.evm?.rpcUrl).not.toBe(before.evm?.rpcUrl);
    server.close();
  });

  it('is the requested one, and later services with another wish are informed', async () => {
    const dataDir = await tempFolder();
    const free = createNetServer();
    const port = await listen(free);
    await new Promise((resolve) => free.close(resolve));
    const first = await joinAt(dataDir, { evmPort: port });
    expect(first.evm?.rpcUrl).toBe(`http://127.0.0.1:${port}`);
    const said: string[] = [];
    const second = await joinAt(dataDir, { evmPort: 1, log: (message) => said.push(message) });
    expect(second.evm).toEqual(first.evm);
    expect(said.join()).toMatch(
      new RegExp(`LOCAL_EVM_PORT=1 is ignored: .* runs already, on http://127.0.0.1:${port}`),
    );
  });
});
