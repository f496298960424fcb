import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { encodeAnnouncePayee, merchantSalt, routerInterface } from '../../src/chains/evm/contracts/router.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { temporaryFolder } from '../runner/after.ts';
import { HttpSigner, SIGNER_TOKEN } from '../support/http-signer.ts';
import { OWNER, type PlayedChain, playChain, SENDER } from '../support/public-chain.ts';
import { read } from '../support/repository.ts';
import { runOps, type ScriptEnd } from './support/run-script.ts';

/** The drill of docs/operating.md, "Stop a thief", line by line on a chain. */
const guardian = Wallet.createRandom();
const [GUARDIAN, NEW, PAYEE] = [guardian, Wallet.createRandom(), Wallet.createRandom()].map(({ address }) => address);
const NAMES = { GUARDIAN, NEW, PAYEE, STOLEN: SENDER.address, OWNER: OWNER.address, MERCHANT: 'mrc_1' };
const salt = merchantSalt('mrc_1', 'live');
const folder = await temporaryFolder();

let chain: PlayedChain;
let signer: HttpSigner;

beforeAll(async () => {
  [chain, signer] = await Promise.all([playChain(84_532), HttpSigner.start({ evm: [OWNER.privateKey] })]);
  await writeFile(join(folder, 'owner.key'), OWNER.privateKey);
  await writeFile(join(folder, 'guardian.key'), guardian.privateKey);
  await chain.chain.provider.send('anvil_setBalance', [guardian.address, '0xde0b6b3a7640000']);
  await send(SENDER.privateKey, encodeAnnouncePayee(salt, NAMES.PAYEE ?? ''));
});
afterAll(() => signer.close());

async function send(key: string, data: string): Promise<void> {
  const { provider, router } = chain.chain;
  await receiptOf(provider, (await new Wallet(key, provider).sendTransaction({ to: router, data })).hash);
}

/** Runs a line as somebody types it who has set the variables of the drill. */
function run(line: string, more: Readonly<Record<string, string>> = {}): Promise<ScriptEnd> {
  const [, file, args = ''] = /^(?:CALLER_KEY_FILE=(\S+) )?npm run ops -- contracts ([^#]*)/.exec(line) ?? [];
  const words = args.trim().replaceAll(/\$(\w+)/g, (_, name) => new Map(Object.entries(NAMES)).get(name) ?? '');
  return runOps('contracts', words.split(' '), {
    ...{
      RPC_URL_84532: chain.rpcUrl,
      ROUTER_84532: chain.chain.router,
      SIGNER_URL_EVM: signer.url,
      SIGNER_TOKEN,
      ...more,
    },
    ...(file === undefined ? {} : { CALLER_KEY_FILE: join(folder, file) }),
  });
}

function state(): Promise<string[]> {
  const { provider, router } = chain.chain;
  const views = [['guardian'], ['paused'], ['isSender', SENDER.address], ['isSender', NEW]] as const;
  return Promise.all(
    [...views, ['announcementOf', salt, PAYEE] as const].map(async ([name, ...args]) => {
      const answer = await provider.call({ to: router, data: routerInterface.encodeFunctionData(name, args) });
      return String(routerInterface.decodeFunctionResult(name, answer)[0]);
    }),
  );
}

it('is carried out line by line, and what cannot be done is one sentence', async () => {
  const drill = /^## Stop a thief$[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(read('docs/operating.md'))?.[1] ?? '';
  const states: unknown[] = [await state()];
  for (const line of drill.trim().split('\n')) {
    const { exitCode, stdout, stderr } = await run(line);
    expect([line, exitCode, stderr]).toEqual([line, 0, '']);
    if (line.includes('--calldata')) await send(OWNER.privateKey, /data +(0x\w+)/.exec(stdout)?.[1] ?? '');
    states.push(await state());
  }
  const [none, announced] = [expect.stringMatching(/^0x0{40}$/), expect.stringMatching(/^[1-9]/)];
  expect(states).toEqual([
    [none, 'false', 'true', 'false', announced],
    [GUARDIAN, 'false', 'true', 'false', announced],
    [GUARDIAN, 'false', 'true', 'false', '0'],
    [GUARDIAN, 'false', 'true', 'false', '0'],
    [GUARDIAN, 'false', 'false', 'false', '0'],
    [GUARDIAN, 'true', 'false', 'false', '0'],
    [GUARDIAN, 'false', 'false', 'false', '0'],
    [GUARDIAN, 'false', 'false', 'true', '0'],
  ]);

  const { router } = chain.chain;
  const as = 'CALLER_KEY_FILE=guardian.key npm run ops -- contracts';
  const [elsewhere, dropped] = [{ RPC_URL_8453: chain.rpcUrl, ROUTER_8453: router }, { ROUTER_84532: `${PAYEE}` }];
  for (const [args, code, sentence, more] of [
    [`pause --chain 84532 --router ${router}`, 0, `${router} is not in ROUTER_84532: this`, dropped],
    ['pause --chain 84532', 0, 'paused already'],
    ['unpause --chain 84532', 1, `✗ ${GUARDIAN} is not the owner of ${router}: only ${OWNER.address} can unpause\n`],
    ['pause --chain 8453', 1, '✗ RPC_URL_8453 is a node of chain 84532\n', elsewhere],
    [`pause --chain 84532 --router ${PAYEE}`, 1, `✗ There is no router at ${PAYEE}\n`],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(`${as} ${args}`, more);
    expect([args, exitCode, stdout + stderr]).toEqual([args, code, expect.stringContaining(sentence)]);
  }
});
