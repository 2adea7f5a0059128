/** Tables of the job machinery. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['leases', 'schedules', 'dead_letters'];
