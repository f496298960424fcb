import { connect } from 'node:net';
import { Keypair, SystemProgram, sendAndConfirmTransaction, Transaction } from '@solana/web3.js';
import { until } from '../../../stage/until.ts';
import { SolanaUser, startLocalSolana } from '../../support/solana.ts';

const local = await startLocalSolana();
afterAll(() => local?.stop());

/** The client keeps its socket for a moment after the last subscription, and would open it again if it broke. */
async function untilNobodyListens(): Promise<void> {
  await until(
    'no client is connected',
    () => local.sockets(),
    (count) => count === 0,
  );
}

function portBeside(rpcUrl: string): number {
  return Number(new URL(rpcUrl).port) + 1;
}

describe('the WebSocket beside the RPC', () => {
  it('lets the standard client wait for its transactions, failed ones too', async () => {
    const user = new SolanaUser(local.world);
    const [payer, to] = [user.wallet('payer-1'), Keypair.generate().publicKey];
    const gift = (lamports: number) =>
      new Transaction().add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports }));
    await sendAndConfirmTransaction(user.connection, gift(1_000_000), [payer]);
    expect(await user.connection.getBalance(to)).toBe(1_000_000);
    const tooMuch = sendAndConfirmTransaction(user.connection, gift(10 ** 15), [payer], { skipPreflight: true });
    // The client gives an error or the chain's result, depending on which of its two ways is faster.
    const reported = (error: unknown) => `${String(error)} ${JSON.stringify(error)}`;
    expect(await tooMuch.then(() => 'done', reported)).toContain('"Custom":1');
    await untilNobodyListens();
  });

  it('ends a connection with other content, and nothing else', async () => {
    const head = [
      'GET / HTTP/1.1',
      'Host: localhost',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ];
    const socket = connect(portBeside(local.rpcUrl), '127.0.0.1');
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      // An unmasked frame, which no client may send.
      if (said.includes('\r\n\r\n')) socket.write(Buffer.from([0x81, 2, 0x68, 0x69]));
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await closed;
    // The answer to this key is the example of RFC 6455.
    expect(said).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    await untilNobodyListens();
  });
});
