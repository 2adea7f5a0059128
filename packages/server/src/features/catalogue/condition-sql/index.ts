export { conditionSql } from './condition-sql.store.ts';
export { misfit } from './fit.rules.ts';
export type { SqlColumn } from './leaf-kind.ts';
export { newLiterals, type SqlLiterals } from './literals.store.ts';
export { isStorableText } from './text-leaf.store.ts';
