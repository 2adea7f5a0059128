import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parse, type ts } from './parser.ts';

/** Folders with code behind walls. */
export const folders = ['packages', 'test', 'tools'];

/** A repository as the walls see it. Each source file is read and parsed once. Paths are relative to its root. */
export interface Repository {
  readonly baseDir: string;
  /** Every file in the folders, of any kind. */
  readonly files: readonly string[];
  /** The TypeScript files among them. */
  readonly sources: ReadonlyMap<string, ts.SourceFile>;
  /** Text of docs/schema.sql; empty without one. */
  readonly schema: string;
}

/** One broken wall. */
export interface Finding {
  readonly rule: string;
  /** The file to change. */
  readonly file: string;
  /** From 1; 0 if the finding is about the whole file. */
  readonly line: number;
  /** A short description that doesn't depend on the position in the file. */
  readonly what: string;
}

export function readRepository(baseDir: string): Repository {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*`),
    {
      cwd: baseDir,
      withFileTypes: true,
      // Skip build output of the console only: nothing else is built, and code hidden in a folder with that name must be
      // seen.
      exclude: ({ name, parentPath }) =>
        name === 'node_modules' || (/^dist(\.|$)/.test(name) && /(^|[\\/])packages[\\/]console$/.test(parentPath)),
    },
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
