export function dateOf(moment: string | null): Date | null {
  return moment === null ? null : new Date(moment);
}
