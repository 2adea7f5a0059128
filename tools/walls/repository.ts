import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parse, type ts } from './parser.ts';

/** Folders whose code stands behind walls. */
export const folders = ['packages', 'test', 'tools'];

/** A repository as the walls see it: each source file is read and parsed once. Paths are relative to its root. */
export interface Repository {
  readonly baseDir: string;
  /** Every file of the folders, of any kind. */
  readonly files: readonly string[];
  /** The TypeScript among them. */
  readonly sources: ReadonlyMap<string, ts.SourceFile>;
  /** Text of docs/schema.sql; empty when there is none. */
  readonly schema: string;
}

/** One broken wall. */
export interface Finding {
  readonly rule: string;
  /** The file to change. */
  readonly file: string;
  /** 1-based; 0 when it is about the file as a whole. */
  readonly line: number;
  /** What was found, in a few words that are the same wherever in the file it stands. */
  readonly what: string;
}

export function readRepository(baseDir: string): Repository {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*`),
    { cwd: baseDir, withFileTypes: true, exclude: ({ name }) => name === 'node_modules' || name === 'dist' },
  )
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(baseDir.length + 1)
        .replaceAll(sep, '/'),
    )
    .sort();
  const read = (file: string) => readFileSync(join(baseDir, file), 'utf8');
  const sources = files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, parse(file, read(file))] as const);
  const [schema] = globSync('docs/schema.sql', { cwd: baseDir });
  return { baseDir, files, sources: new Map(sources), schema: schema === undefined ? '' : read(schema) };
}
