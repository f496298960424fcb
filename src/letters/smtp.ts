import { setTimeout as delay } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { messageOf } from '../errors/message-of.ts';

/** The mail server of an installation, and the sender of its letters. */
export interface MailServer {
  /** `smtp:` or `smtps:`, perhaps with a user and a password: never logged. */
  readonly url: string;
  /** An address. */
  readonly from: string;
}

export interface Mail {
  /** Without angle brackets. The same in each attempt, so that mailboxes can drop a second copy. */
  readonly messageId: string;
  readonly fromName: string;
  readonly to: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: { readonly [name: string]: string };
}

/** How the mail server has answered: `status` is the SMTP code, null without an answer. */
interface MailAnswer {
  readonly outcome: 'sent' | 'refused' | 'failed';
  readonly status: number | null;
  readonly error: string | null;
  readonly body: string | null;
}

export interface Mailer {
  /** Never throws. */
  send(mail: Mail): Promise<MailAnswer>;
}

/** Limits of one attempt, in milliseconds: to connect, without a byte, and in all, below the lease of a letter. */
const CONNECT_MS = 10_000;
const SILENT_MS = 30_000;
const ATTEMPT_MS = 90_000;

/** Sends each letter in a connection of its own. */
export function smtpMailer({ url, from }: MailServer): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const user = decodeURIComponent(username);
  const transport = createTransport({
    ...{ host, port: Number(port) || (secure ? 465 : 587), secure },
    // A password goes over no network in the clear.
    requireTLS: !secure && user !== '' && !['localhost', '127.0.0.1', '::1'].includes(host),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } }),
    ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENT_MS },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    send: async ({ to, fromName, replyTo, messageId, ...mail }) => {
      const addresses = { from: { name: fromName, address: from }, to: { name: '', address: to } };
      const answers = replyTo === null ? {} : { replyTo };
      try {
        const sending = transport.sendMail({ ...mail, messageId: `<${messageId}>`, ...addresses, ...answers });
        const sent = await Promise.race([sending, delay(ATTEMPT_MS, null, { ref: false })]);
        if (sent === null) throw new Error(`no end after ${ATTEMPT_MS / 1_000} s`);
        const status = Number(/^\d{3}/.exec(sent.response)?.[0]) || null;
        return { outcome: 'sent', status, error: null, body: without(to, sent.response) };
      } catch (error) {
        return failureOf(error, to);
      }
    },
  };
}

const smtpError = z.object({
  responseCode: z.number().nullable().catch(null),
  command: z.string().nullable().catch(null),
  response: z.string().nullable().catch(null),
});

/**
 * An address is refused for good by 5xx to RCPT TO. 530, 535 and 5.7.x are about the sender, who may not send here, so
 * they refuse nobody's address.
 */
function failureOf(error: unknown, to: string): MailAnswer {
  const { responseCode: status, command, response } = smtpError.parse(error);
  const isAboutSender = status === 530 || status === 535 || /^\d{3}[ -]5\.7\./.test(response ?? '');
  const isRefused = command === 'RCPT TO' && status !== null && status >= 500 && !isAboutSender;
  const body = response === null ? null : without(to, response);
  return { outcome: isRefused ? 'refused' : 'failed', status, error: without(to, messageOf(error)), body };
}

/** Without the address of the payer: deleted customers keep none. A kilobyte at most. */
function without(address: string, words: string): string {
  return words.replaceAll(address, '…').slice(0, 1_000);
}
