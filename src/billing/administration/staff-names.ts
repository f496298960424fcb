/** What a member of the staff may be called: it stands in journals as `staff:NAME`. */
export function isStaffName(name: string): boolean {
  return /^[\w.@+-][\w .@+-]{0,63}$/.test(name);
}

export const STAFF_NAME_RULE = '1 to 64 letters, digits, spaces or . _ @ + -';

/** As the journal keeps it; null: of the staff, and nobody said who. */
export function staffHand(name: string | null): string {
  return name === null ? 'staff' : `staff:${name}`;
}
