/** Tables of the job machinery. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['leases', 'schedules', 'dead_letters'];

/** What a playground reset does with them. See `Resets` in feature.ts. `forgetJobs` empties the queue. */
export const resets = {
  empties: ['dead_letters', 'schedules'],
  keeps: { leases: 'belongs to the installation' },
};
