export { conditionSql } from './condition-sql.store.ts';
export type { SqlColumn } from './leaf-kind.ts';
export { newLiterals, type SqlLiterals } from './literals.store.ts';
export { misfit } from './misfit.ts';
