/**
 * The parser of the walls: the only import of TypeScript's API, separate from `npm run types`. dependency-cruiser finds
 * it on its own, under the name `typescript`.
 */
import ts from 'typescript';

export { ts };

/** Returns the syntax tree of a file, with parents. `file` is its path from the repository's root. */
export function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}
