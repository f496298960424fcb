import { HDNodeWallet } from 'ethers';
import { compile, gatherSources } from '../../../scripts/ops/contracts/compiler.ts';
import { staleArtifacts } from '../../../scripts/ops/contracts.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { routerTrouble } from '../../../src/chains/evm/contracts/router-code.ts';
import { runOps } from '../../scripts/support/run-script.ts';
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
  const key = HDNodeWallet.fromPhrase(`${'test '.repeat(11)}junk`, '', "m/44'/60'/0'/0/0").privateKey;
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 8453 });
  });
  afterAll(async () => {
    await anvil.stop();
  });

  it('deploys a router with its owner and senders, and prints the line to set', async () => {
    const [owner, sender, guardian] = [freshAddress(), freshAddress(), freshAddress()];
    const env = { RPC_URL_8453: `${anvil.rpcUrl}/?key=credential`, DEPLOYER_KEY: key };
    const args = ['--chain', '8453', '--owner', owner, '--sender', sender, '--guardian', guardian];
    const { exitCode, stdout: out, stderr } = await runOps('contracts', ['deploy', ...args], env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
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
      runOps('contracts', ['deploy', '--chain', '1'], {}),
      runOps('contracts', ['deploy', '--chain', '1', '--owner', '0x12'], rpc),
      runOps('contracts', ['deploy', '--chain', '1', '--owner', owner, '--sender', owner, '--guardian', 'none'], rpc),
    ]);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([2, 2, 1]);
    expect(runs[0]?.stderr).toContain('RPC_URL_1 is not set');
    expect(runs[1]?.stderr).toContain('--owner or ROUTER_OWNER 0x12: expected an address');
    expect(runs[2]?.stderr).toContain('RPC_URL_1 is a node of chain 8453');
  });
});
