import { posix } from 'node:path';
import { ts } from './parser.ts';

/**
 * Import cycles at run time. `import type` is erased and makes none; dependency-cruiser cannot tell, because it calls
 * `import x, { type Y }` type-only as a whole.
 */

/** Returns the cycles among the files, each as its files in order. */
export function findCycles(sources: ReadonlyMap<string, ts.SourceFile>): string[][] {
  const edges = new Map(
    [...sources].map(([file, source]) => [file, runtimeImports(source).filter((target) => sources.has(target))]),
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
    const specifier = statement.moduleSpecifier;
    if (erased || specifier === undefined || !ts.isStringLiteral(specifier)) return [];
    if (specifier.text.startsWith('.')) return [posix.join(posix.dirname(source.fileName), specifier.text)];
    const door = /^@arbiter\/([a-z-]+)$/.exec(specifier.text);
    return door === null ? [] : [`packages/${door[1]}/src/index.ts`];
  });
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
