import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { compare, type Manifest, type Measured, measure } from './console-bytes.ts';

/**
 * `npm run console:bytes`: compares the gzip size of the console's startup script and of each route with the budgets of
 * docs/design/console.md 1, and with the committed table packages/console/bytes.json, where no figure may grow by more
 * than 2%. `--write` updates the table, so the growth shows in the change.
 */

const folder = join(import.meta.dirname, '../packages/console');
const table = join(folder, 'bytes.json');
const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'dist/.vite/manifest.json'), 'utf8'));
const measured = measure(manifest, (file) => gzipSync(readFileSync(join(folder, 'dist', file)), { level: 9 }).length);

const isWriting = process.argv.includes('--write');
if (isWriting) writeFileSync(table, `${JSON.stringify(measured, null, 2)}\n`);
const known: Measured = JSON.parse(readFileSync(table, 'utf8'));
const problems = compare(measured, known);
for (const problem of problems) console.error(`bytes: ${problem}`);
const largest = Object.entries(measured.routes).sort(([, a], [, b]) => b - a)[0];
console.log(
  `bytes: shell ${measured.shell}, ${Object.keys(measured.routes).length} routes, largest ${largest?.join(' ') ?? 'none'}, ` +
    `${problems.length} problems${isWriting ? ', table written' : ''}`,
);
process.exit(problems.length === 0 ? 0 : 1);
