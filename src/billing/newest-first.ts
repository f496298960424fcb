/** The order of every list of the API (reference, section 8: Pagination). */
export const NEWEST_FIRST = [['createdAt', -1]] as const;
