import { ts } from './parser.ts';

/** Questions that several rules ask about a syntax tree. */

/** Returns `object.property` as text if both are plain names. */
export function memberOf(node: ts.Node): string | null {
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

/** Returns the name of a global that is used as a value here: not a property name, key, declaration or type. */
export function globalRead(node: ts.Node): string | null {
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
  if (ts.isExpressionWithTypeArguments(parent) && !isExtended(parent)) return null;
  if (ts.isImportSpecifier(parent) || ts.isImportClause(parent) || ts.isExportSpecifier(parent)) return null;
  return node.text;
}

/** True for `class X extends <this>`, which is a value; what follows `implements` is a type. */
function isExtended(node: ts.ExpressionWithTypeArguments): boolean {
  const { parent } = node;
  return ts.isHeritageClause(parent) && ts.isClassLike(parent.parent) && parent.token === ts.SyntaxKind.ExtendsKeyword;
}

/** The values that a file imports from a module. Types are erased and don't count. */
export interface ValueImport {
  readonly module: string;
  /** Names as the module exports them; null means all (`import * as`, a default import, `import()`). */
  readonly names: readonly string[] | null;
}

/** Returns the value import or re-export at this node, or null. */
export function valueImport(node: ts.Node): ValueImport | null {
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    if (node.isTypeOnly) return null;
    const { exportClause } = node;
    const names = exportClause && ts.isNamedExports(exportClause) ? valueNames(exportClause.elements) : null;
    return names?.length === 0 ? null : { module: node.moduleSpecifier.text, names };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments;
    return argument && ts.isStringLiteralLike(argument) ? { module: argument.text, names: null } : null;
  }
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return null;
  const module = node.moduleSpecifier.text;
  const clause = node.importClause;
  if (clause === undefined) return { module, names: null };
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return null;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || ts.isNamespaceImport(named)) return { module, names: null };
  const names = valueNames(named.elements);
  return names.length === 0 ? null : { module, names };
}

const valueNames = (elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): string[] =>
  elements.filter((element) => !element.isTypeOnly).map(({ name, propertyName }) => (propertyName ?? name).text);

/** Describes the value import of one of the modules, or of a part of one (`pg/lib/client`); null if it is none. */
export function importedFrom(node: ts.Node, modules: readonly string[]): string | null {
  const found = valueImport(node);
  if (found === null || !modules.some((name) => found.module === name || found.module.startsWith(`${name}/`)))
    return null;
  return `value import of '${found.module}'`;
}
