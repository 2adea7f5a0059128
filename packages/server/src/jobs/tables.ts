/** Tables of the job machinery. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['leases', 'schedules', 'dead_letters'];

/** What a reset of a playground does with them, see `Resets` in feature.ts; the queue is emptied by `forgetJobs`. */
export const resets = {
  empties: ['dead_letters', 'schedules'],
  keeps: { leases: 'belongs to the installation' },
};
