/** Tables of the database layer. Only SQL in this folder may name them (enforced by `npm run walls`). */
export const tables = ['schema_migrations', 'catalogue_versions'];

/** What a playground reset does with them. See `Resets` in feature.ts. */
export const resets = {
  keeps: {
    schema_migrations: 'belongs to the installation',
    catalogue_versions: 'numbers keep counting, so that every process notices the change',
  },
};
