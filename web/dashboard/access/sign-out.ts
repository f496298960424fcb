import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/toast.tsx';
import { remove } from '../dashboard-api.ts';
import { notifyTabs, session } from './session.ts';

export async function signOut(): Promise<void> {
  try {
    await remove('/session');
    session.trigger.left();
    notifyTabs();
  } catch (error) {
    toast(messageOf(error));
  }
}
