/** Tables of the database layer. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['schema_migrations', 'catalogue_versions'];

/** What a reset of a playground does with them, see `Resets` in feature.ts. */
export const resets = {
  keeps: {
    schema_migrations: 'belongs to the installation',
    catalogue_versions: 'numbers keep counting, so that every process notices the change',
  },
};
