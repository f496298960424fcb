import { Wallet } from 'ethers';
import { rootOfSeed } from '../../src/chains/solana/key-root.ts';
import { keyFromSeed, secretOf } from '../../src/chains/solana/keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { runOps } from './support/run-script.ts';

const KEYS = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`];
const FEE_PAYER = Buffer.alloc(32, 3);
const SEED = Buffer.alloc(32, 4);

describe('npm run ops -- addresses', () => {
  it('prints the variables of a serving process, and no secret', async () => {
    const secrets = {
      SENDER_KEYS_EVM: KEYS.join(','),
      SENDER_KEYS_SOLANA: secretOf(FEE_PAYER),
      OPERATOR_SEED: SEED.toString('hex'),
    };
    const { exitCode, stdout } = await runOps('addresses', [], secrets);
    expect(exitCode).toBe(0);
    const serving = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    expect(readConfig({ ...serving, TIDELINE_ROLE: 'api' })).toMatchObject({
      senderAddressesEvm: KEYS.map((key) => new Wallet(key).address),
      senderAddressesSolana: [keyFromSeed(FEE_PAYER).address],
      operatorPublicKey: Buffer.from(rootOfSeed(SEED).publicKey),
    });
    for (const secret of Object.values(secrets)) expect(stdout).not.toContain(secret.replace('0x', '').slice(0, 20));
  });

  it('prints the senders of a remote signer', async () => {
    const [address = ''] = KEYS.map((key) => new Wallet(key).address);
    const elsewhere = { SIGNER_URL_EVM: 'https://signer.example', SENDER_ADDRESSES_EVM: address };
    expect((await runOps('addresses', [], elsewhere)).stdout).toBe(`SENDER_ADDRESSES_EVM=${address}\n`);
  });

  it('says so if there is no key', async () => {
    const { exitCode, stderr } = await runOps('addresses', [], {});
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('No key is configured here')]);
  });
});
