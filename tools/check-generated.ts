import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm run check:generated`: runs every generator again and compares with what is committed. Leaves the tree as it
 * was; `npm run generate` is the way to bring the files up to date.
 */

const root = join(import.meta.dirname, '..');

const generated = [
  { file: 'docs/api/openapi.json', generator: 'tools/generate-openapi.ts' },
  { file: 'docs/config.md', generator: 'tools/generate-config-docs.ts' },
  { file: 'docs/architecture.md', generator: 'tools/generate-tiers.ts' },
  { file: 'docs/schema.sql', generator: 'tools/dump-schema.ts' },
];

/** What is wrong with one generated file, or null. */
function problemOf({ file, generator }: (typeof generated)[number]): string | null {
  const path = join(root, file);
  if (!existsSync(path)) return `${file} is not committed`;
  const committed = readFileSync(path);
  // An old date, so that a generator that writes nothing cannot pass.
  utimesSync(path, 0, 0);
  try {
    const run = spawnSync(process.execPath, [generator], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    if (run.status !== 0) return `${generator} failed: ${run.stderr.toString().trim() || `exit ${run.status}`}`;
    if (statSync(path).mtimeMs === 0) return `${generator} wrote no ${file}`;
    return readFileSync(path).equals(committed) ? null : `${file} is stale`;
  } finally {
    writeFileSync(path, committed);
  }
}

const problems = generated.map(problemOf).filter((problem) => problem !== null);
for (const problem of problems) console.error(`generated: ${problem}`);
if (problems.length > 0) console.error('generated: run `npm run generate` and commit the result');
console.log(`generated: ${generated.length - problems.length} of ${generated.length} files are fresh`);
process.exit(problems.length === 0 ? 0 : 1);
