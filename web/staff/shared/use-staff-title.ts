import { useTitle } from '../../ui/use-title.ts';

/** Names the tab after the shown page. */
export function useStaffTitle(shown: string): void {
  useTitle(shown, 'Tideline staff');
}
