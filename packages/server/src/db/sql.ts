/**
 * Raw SQL inside a store's Kysely query: the only value of the query builder that features need (enforced by the
 * walls).
 */
export { sql } from 'kysely';
