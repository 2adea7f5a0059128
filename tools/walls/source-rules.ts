import { testFile } from './import-rules.ts';
import { ts } from './parser.ts';
import type { Finding } from './repository.ts';

/** Walls that an import graph cannot show: globals, clocks, chance, value imports of the driver. */

interface SourceRule {
  readonly name: string;
  readonly applies: (file: string) => boolean;
  /** What breaks the rule at this node, or null. */
  readonly breaks: (node: ts.Node) => string | null;
}

const isTest = (file: string) => new RegExp(testFile).test(file);
const inServer = (file: string) => file.startsWith('packages/server/src/');
const inEngine = (file: string) => file.startsWith('packages/engine/src/') && !isTest(file);

/** `object.property` as text, when both are plain names. */
function memberOf(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    return `${node.expression.text}.${node.name.text}`;
  }
  if (
    ts.isElementAccessExpression(node) &&
    ts.isIdentifier(node.expression) &&
    ts.isStringLiteral(node.argumentExpression)
  ) {
    return `${node.expression.text}.${node.argumentExpression.text}`;
  }
  return null;
}

/** Name of a global that is used as a value here: not a property name, not a key, not a declaration, not a type. */
function globalRead(node: ts.Node): string | null {
  if (!ts.isIdentifier(node)) return null;
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return null;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return null;
  if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent)) return null;
  if (ts.isPropertySignature(parent) || ts.isMethodSignature(parent) || ts.isPropertyDeclaration(parent)) return null;
  if (ts.isVariableDeclaration(parent) && parent.name === node) return null;
  if (ts.isParameter(parent) && parent.name === node) return null;
  if (ts.isFunctionDeclaration(parent) && parent.name === node) return null;
  if (ts.isMethodDeclaration(parent) && parent.name === node) return null;
  if (ts.isBindingElement(parent) && parent.propertyName === node) return null;
  if (ts.isExpressionWithTypeArguments(parent)) return null;
  return node.text;
}

function importedValuesOf(node: ts.Node, modules: readonly string[]): string | null {
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    const name = node.moduleSpecifier.text;
    return !node.isTypeOnly && modules.some((m) => name === m || name.startsWith(`${m}/`))
      ? `export from '${name}'`
      : null;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const argument = node.arguments[0];
    if (argument && ts.isStringLiteral(argument) && modules.includes(argument.text))
      return `import('${argument.text}')`;
    return null;
  }
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return null;
  const name = node.moduleSpecifier.text;
  if (!modules.some((m) => name === m || name.startsWith(`${m}/`))) return null;
  const clause = node.importClause;
  if (clause === undefined) return `import '${name}'`;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return null;
  const named = clause.namedBindings;
  const takesValue =
    clause.name !== undefined ||
    named === undefined ||
    ts.isNamespaceImport(named) ||
    named.elements.some((element) => !element.isTypeOnly);
  return takesValue ? `value import of '${name}'` : null;
}

/** `Math` functions that IEEE 754 or the language fixes to the bit; the engine ports the others (api-decisioning 1.1). */
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
  {
    name: 'only-config-reads-the-environment',
    applies: (file) =>
      file.startsWith('packages/') &&
      !file.startsWith('packages/cli/') &&
      file !== 'packages/server/src/config.ts' &&
      !isTest(file),
    breaks: (node) => (memberOf(node) === 'process.env' ? 'process.env' : null),
  },
  {
    name: 'only-db-uses-the-driver',
    applies: (file) => file.startsWith('packages/') && !file.startsWith('packages/server/src/db/') && !isTest(file),
    breaks: (node) => importedValuesOf(node, ['pg', 'kysely']),
  },
  {
    name: 'only-platform-calls-out',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/platform/') && !isTest(file),
    breaks: (node) =>
      (ts.isCallExpression(node) && globalRead(node.expression) === 'fetch' ? 'fetch()' : null) ??
      importedValuesOf(node, ['node:http', 'node:https', 'node:http2', 'node:tls', 'node:dgram']),
  },
  {
    name: 'only-main-starts-timers',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/main/') && !isTest(file),
    breaks: (node) =>
      ts.isCallExpression(node) && globalRead(node.expression) === 'setInterval' ? 'setInterval()' : null,
  },
  {
    name: 'only-main-listens',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/main/') && !isTest(file),
    // `database.listen(channel, handler)` is LISTEN; a port is opened with an options object, a number or nothing.
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
    name: 'time-is-passed-in',
    applies: (file) => /^packages\/(server\/src\/features|packs|contract)\//.test(file) && !isTest(file),
    breaks: (node) => {
      if (memberOf(node) === 'Date.now') return 'Date.now';
      const bare = ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Date';
      return bare && (node.arguments?.length ?? 0) === 0 ? 'new Date()' : null;
    },
  },
  {
    name: 'chance-is-passed-in',
    applies: (file) => /^packages\/(engine|packs|contract|server)\//.test(file) && !isTest(file),
    breaks: (node) => (memberOf(node) === 'Math.random' ? 'Math.random' : null),
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

/** Names of the source rules: each must be seen to fail on its canary. */
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
      found.push({ rule: rule.name, file, text: `line ${line}: ${what}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
