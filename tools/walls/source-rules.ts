import { posix } from 'node:path';
import { clockRules } from './clock-rules.ts';
import { consoleSourceRules } from './console-rules.ts';
import { ts } from './parser.ts';
import type { Finding } from './repository.ts';
import { inServer, isTest, type SourceRule } from './source-rule.ts';
import { sqlRules } from './sql-rules.ts';
import { globalRead, importedFrom, memberOf, valueImport } from './syntax.ts';

/** Walls that an import graph can't show: globals, clocks, randomness, value imports of the driver. */

const inEngine = (file: string) => file.startsWith('packages/engine/src/') && !isTest(file);

/**
 * `Math` functions whose bits IEEE 754 or the language defines. The engine ports the others
 * (docs/design/api-decisioning.md 1.1).
 */
const exactMath = new Set([
  'abs',
  'ceil',
  'clz32',
  'floor',
  'fround',
  'imul',
  'max',
  'min',
  'round',
  'sign',
  'sqrt',
  'trunc',
]);

const impure = new Set([
  'Date',
  'Intl',
  'console',
  'crypto',
  'eval',
  'fetch',
  'Function',
  'globalThis',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

const localeMembers = new Set([
  'localeCompare',
  'toLocaleDateString',
  'toLocaleLowerCase',
  'toLocaleString',
  'toLocaleTimeString',
  'toLocaleUpperCase',
]);

const sourceRules: readonly SourceRule[] = [
  ...clockRules,
  ...sqlRules,
  ...consoleSourceRules,
  {
    name: 'only-config-reads-the-environment',
    applies: (file) =>
      file.startsWith('packages/') &&
      !file.startsWith('packages/cli/') &&
      file !== 'packages/server/src/config.ts' &&
      !isTest(file),
    breaks: (node) => {
      const imported = valueImport(node);
      if (imported !== null && /^(node:)?process$/.test(imported.module)) {
        return imported.names === null || imported.names.includes('env')
          ? `value import of '${imported.module}'`
          : null;
      }
      if (memberOf(node) === 'process.env') return 'process.env';
      // Any use of the object other than `process.<name>` might read its environment.
      return globalRead(node) === 'process' && memberOf(node.parent) === null ? 'process' : null;
    },
  },
  {
    // The oracle is an independent reading of the design pages. Shared code would share its faults.
    name: 'the-oracle-shares-no-code',
    applies: (file) => file.startsWith('test/oracle/') && !isTest(file) && !file.endsWith('/random-world.ts'),
    breaks: (node) => {
      const imported = valueImport(node);
      if (imported === null || imported.module === 'luxon') return null;
      const target = posix.join(posix.dirname(node.getSourceFile().fileName), imported.module);
      const isOwn = imported.module.startsWith('.') && target.startsWith('test/oracle/');
      if (isOwn && !target.endsWith('/random-world.ts')) return null;
      return `value import of '${imported.module}'`;
    },
  },
  {
    name: 'only-db-uses-the-driver',
    applies: (file) => file.startsWith('packages/') && !file.startsWith('packages/server/src/db/') && !isTest(file),
    breaks: (node) => importedFrom(node, ['pg', 'kysely', 'mysql2']),
  },
  {
    name: 'only-platform-calls-out',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/platform/'),
    breaks: (node) =>
      (globalRead(node) === 'fetch' || memberOf(node) === 'globalThis.fetch' ? 'fetch' : null) ??
      importedFrom(node, ['node:http', 'node:https', 'node:http2', 'node:tls', 'node:dgram']),
  },
  {
    name: 'only-main-listens',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/main/'),
    // `database.listen(channel, handler)` is LISTEN. A port is opened with an options object, a number or nothing.
    breaks: (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
      if (node.expression.name.text !== 'listen') return null;
      const first = node.arguments[0];
      const opensPort =
        first === undefined ||
        node.arguments.length === 1 ||
        ts.isObjectLiteralExpression(first) ||
        ts.isNumericLiteral(first);
      return opensPort ? '.listen()' : null;
    },
  },
  {
    name: 'modules-keep-no-state',
    // All requests, tenants and tests of the process share a module's variable, and nothing resets it. A page of the
    // console belongs to one person, so its variables do too.
    applies: (file) => file.startsWith('packages/') && !file.startsWith('packages/console/') && !isTest(file),
    breaks: (node) => {
      if (!ts.isVariableStatement(node) || isInsideFunction(node)) return null;
      return node.declarationList.flags & ts.NodeFlags.Const
        ? null
        : node.declarationList.declarations.map((declaration) => declaration.name.getText()).join(', ');
    },
  },
  {
    name: 'engine-is-pure',
    applies: inEngine,
    breaks: (node) => {
      const name = globalRead(node);
      return name !== null && impure.has(name) ? name : null;
    },
  },
  {
    name: 'engine-arithmetic-is-exact',
    applies: inEngine,
    breaks: (node) => {
      const member = memberOf(node);
      if (member?.startsWith('Math.') && /^[a-z]/.test(member.slice(5)) && !exactMath.has(member.slice(5)))
        return member;
      if (ts.isBinaryExpression(node)) {
        const operator = node.operatorToken.kind;
        if (
          operator === ts.SyntaxKind.AsteriskAsteriskToken ||
          operator === ts.SyntaxKind.AsteriskAsteriskEqualsToken
        ) {
          return '**';
        }
      }
      if (ts.isPropertyAccessExpression(node) && localeMembers.has(node.name.text)) return `.${node.name.text}`;
      return null;
    },
  },
];

function isInsideFunction(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (ts.isFunctionLike(at)) return true;
  return false;
}

/** Names of the source rules. Each must fail on its canary. */
export const sourceRuleNames = sourceRules.map((rule) => rule.name);

/** Checks one file. */
export function checkSource(source: ts.SourceFile): Finding[] {
  const file = source.fileName;
  const rules = sourceRules.filter((rule) => rule.applies(file));
  if (rules.length === 0) return [];
  const found: Finding[] = [];
  const visit = (node: ts.Node): void => {
    for (const rule of rules) {
      const what = rule.breaks(node);
      if (what === null) continue;
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ rule: rule.name, file, line, what });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
