/** True if a member of the staff may have this name. Journals have it as `staff:NAME`. */
export function isStaffName(name: string): boolean {
  return /^[\w.@+-][\w .@+-]{0,63}$/.test(name);
}

export const STAFF_NAME_RULE = '1 to 64 letters, digits, spaces or . _ @ + -';

/** The author in the journal. null: an unnamed member of the staff. */
export function staffHand(name: string | null): string {
  return name === null ? 'staff' : `staff:${name}`;
}
