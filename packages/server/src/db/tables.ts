/** Tables of the database layer. Only SQL of this folder may name them (checked by `npm run walls`). */
export const tables = ['schema_migrations', 'catalogue_versions'];
