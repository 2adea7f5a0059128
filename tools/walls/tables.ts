import { ts } from './parser.ts';
import type { Finding, Repository } from './repository.ts';
import { inServer } from './source-rule.ts';
import { tablesIn, wholeText } from './sql-text.ts';

/**
 * Owners of tables. A feature lists its tables in its index.ts, `export const tables = ['offers']`; rooms of the server
 * (`db`, `http`, `jobs`) in a file tables.ts. Each table of docs/schema.sql has one owner, and only the owner's code
 * names it. Others call the owner, or embed a piece of SQL that it exports.
 */

export const tableRules = ['tables-have-one-owner', 'tables-are-named-by-their-owner'];

/** On a cluster, all tables are distributed like this one, and `db` finds a tenant's worker by it. */
const rootOfShards = 'tenants';

interface Owners {
  /** Owner by table: a feature (`features/catalogue/offers`) or a room (`http`). */
  readonly byTable: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
}

export function checkTables(repository: Repository): Finding[] {
  const { byTable, findings } = readOwners(repository);
  const known = new Set(byTable.keys());
  const strangers = [...repository.sources].flatMap(([file, source]): Finding[] => {
    if (!inServer(file)) return [];
    const named = namedTables(source, known).filter(
      ({ table }) => byTable.get(table) !== ownerOf(file) && !(table === rootOfShards && ownerOf(file) === 'db'),
    );
    return named.map(({ table, line }) => ({ rule: 'tables-are-named-by-their-owner', file, line, what: table }));
  });
  return [...findings, ...strangers];
}

/** Returns `features/<group>/<name>` or the room: the folder whose code may name the folder's tables. */
function ownerOf(file: string): string {
  const [, room = '', inside = ''] = /^packages\/server\/src\/([^/]+)\/?([^/]*\/?[^/]*)/.exec(file) ?? [];
  return room === 'features' ? `features/${inside}` : room;
}

function readOwners({ sources, schema }: Repository): Owners {
  const byTable = new Map<string, string>();
  const findings: Finding[] = [];
  const existing = new Set([...schema.matchAll(/^create (?:table|view) (\w+)/gm)].map(([, name = '']) => name));
  const wrong = (file: string, what: string) => findings.push({ rule: 'tables-have-one-owner', file, line: 0, what });
  for (const [file, source] of sources) {
    if (!/^packages\/server\/src\/(features\/[^/]+\/[^/]+\/index|[^/]+\/tables)\.ts$/.test(file)) continue;
    for (const table of declaredTables(source)) {
      const other = byTable.get(table);
      if (other !== undefined) wrong(file, `${table} is owned by ${other} already`);
      else if (existing.has(table)) byTable.set(table, ownerOf(file));
      else wrong(file, `there is no table ${table} in docs/schema.sql`);
    }
  }
  for (const table of existing) if (!byTable.has(table)) wrong('docs/schema.sql', `${table} has no owner`);
  return { byTable, findings };
}

/** Returns the texts of `export const tables = [...]`. */
function declaredTables(source: ts.SourceFile): string[] {
  const declarations = source.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
  );
  const tables = declarations.find(({ name }) => ts.isIdentifier(name) && name.text === 'tables');
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  if (tables?.initializer !== undefined) visit(tables.initializer);
  return found;
}

/** Methods of kysely whose first argument is a table or a list of tables. */
const tableMethods = new Set([
  'selectFrom',
  'insertInto',
  'updateTable',
  'deleteFrom',
  'replaceInto',
  'mergeInto',
  'innerJoin',
  'leftJoin',
  'rightJoin',
  'fullJoin',
  'crossJoin',
  'innerJoinLateral',
  'leftJoinLateral',
  'from',
  'using',
  'table',
]);

/** Finds named tables: in SQL, in calls of kysely, and as the `table` of a spec. */
function namedTables(source: ts.SourceFile, known: ReadonlySet<string>): { table: string; line: number }[] {
  const found: { table: string; line: number }[] = [];
  const visit = (node: ts.Node): void => {
    const note = (table: string) => {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ table, line });
    };
    const text = wholeText(node);
    if (text !== null) {
      const name = /^(?:arbiter\.)?(\w+)(?:\s+as\s+\w+)?$/i.exec(text.trim())?.[1] ?? '';
      if (known.has(name) && isTableArgument(node)) note(name);
      else for (const table of tablesIn(text, known)) note(table);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTableArgument(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isArrayLiteralExpression(parent)) return isTableArgument(parent);
  if (ts.isPropertyAssignment(parent)) return ts.isIdentifier(parent.name) && parent.name.text === 'table';
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  // `table('offers')` of db/columns.ts.
  if (ts.isIdentifier(parent.expression)) return parent.expression.text === 'table';
  return ts.isPropertyAccessExpression(parent.expression) && tableMethods.has(parent.expression.name.text);
}
