/** Raw SQL inside a store's kysely query. The one value of the query builder that features need (see the walls). */
export { sql } from 'kysely';
