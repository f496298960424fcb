/** The collection in which Agenda keeps the recurring jobs. */
export const JOBS = 'jobs';
