/** Tables of the database layer. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['schema_migrations', 'catalogue_versions'];

/** What a reset of a playground does with them, see `Resets` in feature.ts. */
export const resets = {
  keeps: {
    schema_migrations: 'of the installation',
    catalogue_versions: 'numbers go on, so that every process sees that there is something new',
  },
};
