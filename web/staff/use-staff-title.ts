import { useTitle } from '../ui/use-title.ts';

/** What the console shows, as the tab names it. */
export function useStaffTitle(shown: string): void {
  useTitle(shown, 'Tideline staff');
}
