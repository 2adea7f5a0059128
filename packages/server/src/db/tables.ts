/** Tables of the database's own room: nobody else's code names them (see the walls). */
export const tables = ['schema_migrations', 'catalogue_versions'];
