import { posix } from 'node:path';
import { ts } from './parser.ts';

/**
 * Import cycles: of files that load each other, and of files that need each other's types. `import type` is erased and
 * makes no cycle of the first kind. dependency-cruiser can't tell them apart, because it calls `import x, { type Y }`
 * type-only as a whole.
 */

/** Cycles of files that load each other, each as its files in order. */
export function findCycles(sources: ReadonlyMap<string, ts.SourceFile>): string[][] {
  return cyclesOf(sources, runtimeImports);
}

/** Cycles of files that import anything from each other, types included. */
export function findTypeCycles(sources: ReadonlyMap<string, ts.SourceFile>): string[][] {
  return cyclesOf(sources, allImports);
}

function cyclesOf(
  sources: ReadonlyMap<string, ts.SourceFile>,
  importsOf: (source: ts.SourceFile) => readonly string[],
): string[][] {
  const edges = new Map(
    [...sources].map(([file, source]) => [file, importsOf(source).filter((target) => sources.has(target))]),
  );
  return strongComponents(edges).filter(
    (component) => component.length > 1 || edges.get(component[0] ?? '')?.includes(component[0] ?? '') === true,
  );
}

/** Returns the files loaded along with this one: relative imports and the index files of sibling packages. */
function runtimeImports(source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const erased = isImport
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    return erased || statement.moduleSpecifier === undefined ? [] : targetOf(source, statement.moduleSpecifier);
  });
}

/** Files that any import or export names, `import('./x.ts').T` inside a type included. */
function allImports(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      found.push(...targetOf(source, node.moduleSpecifier));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      found.push(...targetOf(source, node.argument.literal));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The file that a specifier names; empty for a library. */
function targetOf({ fileName }: ts.SourceFile, specifier: ts.Node): string[] {
  if (!ts.isStringLiteral(specifier)) return [];
  if (specifier.text.startsWith('.')) return [posix.join(posix.dirname(fileName), specifier.text)];
  const [, name, entry = 'index'] = /^@arbiter\/([a-z-]+)(?:\/(.+))?$/.exec(specifier.text) ?? [];
  return name === undefined ? [] : [`packages/${name}/src/${entry}.ts`];
}

/** Tarjan's strongly connected components. */
function strongComponents(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];
  const visit = (file: string): void => {
    const index = order.size;
    order.set(file, index);
    low.set(file, index);
    stack.push(file);
    for (const target of edges.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file) ?? index, low.get(target) ?? index));
    }
    if (low.get(file) !== index) return;
    const component = stack.splice(stack.indexOf(file));
    components.push(component.sort());
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return components;
}
