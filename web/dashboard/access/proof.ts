import type { DashboardSession } from '../../../src/dashboard/wire.ts';
import { serviceNow } from '../../ui/api.ts';
import { type DashboardBody, post, session } from '../dashboard-api.ts';
import { askPasskey, type SignInOptions } from './passkey.ts';

/** Asks for a passkey, with which the member signs in or proves in an open session who they are. */
export async function answerWithPasskey(path: '/session' | '/session/proof'): Promise<DashboardSession> {
  return (await post<{ session: DashboardSession }>(path, await askForAnswer())).session;
}

async function askForAnswer(): Promise<DashboardBody> {
  const { options } = await post<{ options: SignInOptions }>('/session/challenges');
  return askPasskey(options);
}

/** The answer of a passkey that confirms one act; undefined for a member without any, whose sign-in confirms it. */
export async function confirmation(): Promise<DashboardBody | undefined> {
  return hasPasskey() ? askForAnswer() : undefined;
}

export function hasPasskey(): boolean {
  return (session.getSnapshot().context.who?.passkeys.length ?? 0) > 0;
}

/**
 * Runs an act that needs a fresh proof of the person. Asks for a passkey before, if the last proof is too old; a member
 * without one reads in the refusal what to do.
 */
export async function withProof<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  const { who } = session.getSnapshot().context;
  const isOld = who !== null && serviceNow() >= Date.parse(who.provenUntil);
  if (isOld && hasPasskey()) session.trigger.opened({ who: await answerWithPasskey('/session/proof') });
  return run();
}
