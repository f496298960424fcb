import type { Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A letter as its reader's program has it. */
export interface Received {
  readonly to: string;
  readonly mail: ParsedMail;
  /** All of it, as sent. */
  readonly raw: string;
}

/** A mail server, whose answers a test can change. Whoever opens it closes it. */
export class PostOffice {
  readonly received: Received[] = [];
  /** The answer to an address: null takes it. */
  refusal: (address: string) => { readonly code: number; readonly text: string } | null = () => null;
  /** Dies before it answers to the data of a letter. */
  diesInData = false;
  readonly #server: SMTPServer;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onRcptTo: ({ address }, _session, callback) => {
        const refusal = this.refusal(address);
        callback(refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
      },
      onData: (stream, { envelope }, callback) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => {
          parts.push(part);
          if (this.diesInData) for (const socket of this.#sockets) socket.destroy();
        });
        stream.on('end', () => {
          if (this.diesInData) return;
          const raw = Buffer.concat(parts).toString('utf8');
          simpleParser(raw).then((mail) => {
            this.received.push({ to: envelope.rcptTo.map(({ address }) => address).join(), mail, raw });
            callback();
          }, callback);
        });
      },
    });
    this.#server.on('error', () => undefined);
  }

  /** It listens at a free port. */
  static async open(): Promise<PostOffice> {
    const office = new PostOffice();
    office.#server.server.on('connection', (socket) => office.#sockets.add(socket));
    await new Promise<void>((resolve) => office.#server.listen(0, '127.0.0.1', () => resolve()));
    return office;
  }

  get url(): string {
    const address = this.#server.server.address();
    if (address === null || typeof address === 'string') throw new Error('the mail server does not listen');
    return `smtp://127.0.0.1:${address.port}`;
  }

  /** The variables of a service whose letters come here. */
  get env() {
    return { SMTP_URL: this.url, LETTERS_FROM: 'letters@pay.example.com' } as const;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}
