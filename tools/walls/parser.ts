/**
 * The parser of the walls: the one import of TypeScript's API, which `npm run types` need not share. dependency-cruiser
 * finds it by its own way, under the name `typescript`.
 */
import ts from 'typescript';

export { ts };

/** The syntax tree of a file, with parents. `file` is its path from the repository's root. */
export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}
