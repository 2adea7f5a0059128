/** Tables of the job machinery: nobody else's code names them (see the walls). */
export const tables = ['leases', 'schedules', 'dead_letters'];
