import { ts } from './parser.ts';
import { inServer, isTest, type SourceRule } from './source-rule.ts';
import { isSql, wholeText } from './sql-text.ts';
import { valueImport } from './syntax.ts';

/** SQL belongs in `db/` and in the `*.store.ts` of each feature, of `http` and of `jobs`. */
const isStore = (file: string): boolean => file.startsWith('packages/server/src/db/') || file.endsWith('.store.ts');

/** Methods of `Tx` that run SQL. */
const runners = new Set(['query', 'kysely']);

export const sqlRules: readonly SourceRule[] = [
  {
    name: 'sql-stands-in-stores',
    applies: (file) => inServer(file) && !isStore(file),
    breaks: (node) => {
      if (ts.isCallExpression(node) && runners.has(calledMethod(node))) return `.${calledMethod(node)}()`;
      if (valueImport(node)?.names?.includes('sql')) return 'sql of the query builder';
      const text = wholeText(node);
      return text !== null && isSql(text) ? `'${text.trim().split(/\s+/).slice(0, 4).join(' ')} …'` : null;
    },
  },
  {
    // Rules are functions of their arguments. They import no database code, directly or not.
    name: 'rules-know-no-database',
    applies: (file) => file.endsWith('.rules.ts') && !isTest(file),
    breaks: (node) => {
      const imported = valueImport(node);
      if (imported === null) return null;
      const isStored = /(^|\/)db\/|\.store\.ts$/.test(imported.module);
      return isStored || imported.names?.includes('sql') ? `value import of '${imported.module}'` : null;
    },
  },
];

/** Returns the name of the called method, `tx.query()` or `tx['query']()`; empty if it isn't a method call. */
function calledMethod({ expression }: ts.CallExpression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  if (ts.isElementAccessExpression(expression) && ts.isStringLiteral(expression.argumentExpression)) {
    return expression.argumentExpression.text;
  }
  return '';
}
