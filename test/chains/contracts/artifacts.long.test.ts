import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HDNodeWallet } from 'ethers';
import { staleArtifacts } from '../../../scripts/ops/contracts/artifacts.ts';
import { compile, gatherSources } from '../../../scripts/ops/contracts/compiler.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { routerTrouble } from '../../../src/chains/evm/contracts/router-code.ts';
import { type Anvil, startAnvil } from '../../support/anvil.ts';
import { freshAddress } from '../evm/world.ts';

describe('the committed artifacts', () => {
  it('match their sources', async () => {
    expect(await staleArtifacts()).toEqual([]);
  });
});

describe('the compiler', () => {
  const header = '// SPDX-License-Identifier: Apache-2.0\npragma solidity 0.8.37;\n';

  it('treats a warning as an error', async () => {
    const sources = new Map([['A.sol', `${header}contract A { function f() external pure { uint256 unused; } }`]]);
    await expect(compile(sources, ['A'])).rejects.toThrow('Unused local variable');
  });

  it('names a missing contract, and an unreadable source', async () => {
    const sources = new Map([['A.sol', `${header}contract A {}`]]);
    await expect(compile(sources, ['B'])).rejects.toThrow('No source defines the contract B; sources: A.sol');
    expect(() => gatherSources(import.meta.dirname, ['Missing.sol'])).toThrow('Missing.sol, imported by the command');
  });
});

describe('npm run ops -- contracts', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const tsx = join(dirname(createRequire(import.meta.url).resolve('tsx/package.json')), 'dist', 'cli.mjs');
  const key = HDNodeWallet.fromPhrase(`${'test '.repeat(11)}junk`, '', "m/44'/60'/0'/0/0").privateKey;
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
  });
  afterAll(async () => {
    await anvil.stop();
  });

  function run(
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<{ code: number; out: string; err: string }> {
    return new Promise((resolve) => {
      const options = { cwd: root, env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env } };
      execFile(process.execPath, [tsx, 'scripts/ops.ts', 'contracts', ...args], options, (error, out, err) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err });
      });
    });
  }

  it('deploys a router with its owner and senders, and prints the line to set', async () => {
    const [owner, sender, guardian] = [freshAddress(), freshAddress(), freshAddress()];
    const env = { RPC_URL_8453: `${anvil.rpcUrl}/?key=credential`, DEPLOYER_KEY: key };
    const args = ['--chain', '8453', '--owner', owner, '--sender', sender, '--guardian', guardian];
    const { code, out, err } = await run(['deploy', ...args], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const router = /^ROUTER_8453=(0x[0-9a-fA-F]{40})$/m.exec(out)?.[1] ?? '';
    expect(await routerTrouble((address) => anvil.provider.getCode(address), router)).toBeNull();
    expect(out).not.toContain(key.slice(2));
    expect(out).not.toContain('credential');
    for (const [name, args, expected] of [
      ['owner', [], owner],
      ['guardian', [], guardian],
      ['isSender', [sender], true],
      ['isSender', [owner], false],
    ] as const) {
      const result = await anvil.provider.call({ to: router, data: routerInterface.encodeFunctionData(name, args) });
      expect(routerInterface.decodeFunctionResult(name, result)[0]).toBe(expected);
    }
  });

  it('exits with 2 and the missing argument, or with 1 and the error', async () => {
    const rpc = { RPC_URL_1: anvil.rpcUrl, DEPLOYER_KEY: key };
    const owner = freshAddress();
    const runs = await Promise.all([
      run(['deploy', '--chain', '1'], {}),
      run(['deploy', '--chain', '1', '--owner', '0x12'], rpc),
      run(['deploy', '--chain', '1', '--owner', owner, '--sender', owner, '--guardian', 'none'], rpc),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([2, 2, 1]);
    expect(runs[0]?.err).toContain('RPC_URL_1 is not set');
    expect(runs[1]?.err).toContain('--owner or ROUTER_OWNER 0x12: expected an address');
    expect(runs[2]?.err).toContain('RPC_URL_1 is a node of chain 8453');
  });
});
