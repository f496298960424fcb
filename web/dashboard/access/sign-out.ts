import { messageOf } from '../../ui/message-of.ts';
import { toast } from '../../ui/toast.tsx';
import { dashboardApi } from '../dashboard-api.ts';
import { notifyTabs, session } from './session.ts';

export async function signOut(): Promise<void> {
  try {
    await dashboardApi('/session', { method: 'DELETE' });
    session.trigger.left();
    notifyTabs();
  } catch (error) {
    toast(messageOf(error));
  }
}
