import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run check:generated`: runs every generator and compares the output with the committed files. Leaves the tree
 * unchanged; `npm run generate` updates the files.
 */

const root = join(import.meta.dirname, '../..');

/** Output of each generator: a file, or a folder (with a trailing slash) that contains nothing else. */
const generated = [
  { written: 'packages/contract/src/index.ts', generator: 'tools/generate/contract.ts' },
  { written: 'packages/contract/src/all-operations.ts', generator: 'tools/generate/contract.ts' },
  { written: 'packages/contract/src/catalogue/config-shapes.generated.ts', generator: 'tools/generate/configs.ts' },
  { written: 'packages/contract/src/core/config-types.generated.ts', generator: 'tools/generate/configs.ts' },
  {
    written: 'packages/contract/src/operations/searched-kinds.generated.ts',
    generator: 'tools/generate/resource-lists.ts',
  },
  {
    written: 'packages/console/src/features/audit/versioned-resources.generated.ts',
    generator: 'tools/generate/resource-lists.ts',
  },
  { written: 'packages/server/src/main/features.ts', generator: 'tools/generate/features.ts' },
  { written: 'packages/console/src/app/manifest.ts', generator: 'tools/generate/features.ts' },
  { written: 'docs/api/', generator: 'tools/generate/openapi.ts' },
  { written: 'docs/config.md', generator: 'tools/generate/config-docs.ts' },
  { written: 'docs/architecture.md', generator: 'tools/generate/tiers.ts' },
  { written: 'docs/guides/scaling.md', generator: 'tools/generate/scaling-table.ts' },
  { written: 'docs/adr/README.md', generator: 'tools/generate/adr-index.ts' },
  { written: 'docs/schema.sql', generator: 'tools/generate/schema-sql.ts' },
  { written: 'packages/server/src/db/rows.ts', generator: 'tools/generate/rows.ts' },
  { written: 'packages/server/src/db/column-defaults.ts', generator: 'tools/generate/rows.ts' },
];

/** Returns the files at a place, by name, with their bytes. */
function filesOf(written: string): Map<string, Buffer> {
  const isFolder = written.endsWith('/');
  const names = isFolder && existsSync(join(root, written)) ? readdirSync(join(root, written)).sort() : [];
  const files = isFolder ? names.map((name) => `${written}${name}`) : [written];
  return new Map(
    files.filter((file) => existsSync(join(root, file))).map((file) => [file, readFileSync(join(root, file))]),
  );
}

/** Returns the differences in one generator's output. */
function problemsOf({ written, generator }: (typeof generated)[number]): string[] {
  const committed = filesOf(written);
  if (committed.size === 0) return [`${written} is not committed`];
  // Set an old date, so that a generator that writes nothing fails.
  for (const file of committed.keys()) utimesSync(join(root, file), 0, 0);
  try {
    const run = spawnSync(process.execPath, [generator], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    if (run.status !== 0) return [`${generator} failed: ${run.stderr.toString().trim() || `exit ${run.status}`}`];
    const now = filesOf(written);
    const missing = [...now.keys()].filter((file) => !committed.has(file)).map((file) => `${file} is not committed`);
    const wrong = [...committed].flatMap(([file, bytes]) => {
      const text = now.get(file);
      if (text === undefined) return [`${file} is written no more`];
      if (statSync(join(root, file)).mtimeMs === 0) return [`${generator} wrote no ${file}`];
      return text.equals(bytes) ? [] : [`${file} is stale`];
    });
    return [...missing, ...wrong];
  } finally {
    for (const file of filesOf(written).keys()) if (!committed.has(file)) rmSync(join(root, file));
    for (const [file, bytes] of committed) writeFileSync(join(root, file), bytes);
  }
}

const problems = generated.flatMap(problemsOf);
for (const problem of problems) console.error(`generated: ${problem}`);
if (problems.length > 0) console.error('generated: run `npm run generate` and commit the result');
const files = generated.reduce((sum, { written }) => sum + filesOf(written).size, 0);
console.log(`generated: ${files} files, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
