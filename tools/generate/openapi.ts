import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Operation, openapi, operations } from '@arbiter/contract';

/**
 * Writes docs/api: the document that the server returns at /api/openapi.json, split into one complete OpenAPI document
 * per tag, so that changes of two features don't meet in one file; and a page that lists them.
 */
const folder = join(import.meta.dirname, '../..', 'docs/api');
const all: readonly Operation[] = Object.values(operations);
const byTag = [...Map.groupBy(all, ({ tag }) => tag)].sort(([a], [b]) => (a < b ? -1 : 1));
const fileOf = (tag: string): string => `${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [tag, ofTag] of byTag) {
  const document = openapi(ofTag, { version: '0.1.0', serverUrl: 'http://localhost:3000' });
  writeFileSync(join(folder, fileOf(tag)), `${JSON.stringify(document, null, 1)}\n`);
}
const rows = byTag.map(([tag, ofTag]) => {
  const paths = [...new Set(ofTag.map(({ path }) => `\`${path}\``))];
  return `| [${tag}](${fileOf(tag)}) | ${paths.join('<br>')} |`;
});
writeFileSync(
  join(folder, 'README.md'),
  [
    '# The API',
    '',
    'Written by `npm run generate` from the operations in `packages/contract`: one OpenAPI 3.1 document for each group.',
    'A running server answers all of them in one document at `/api/openapi.json`, and readable pages at `/api/docs`.',
    '',
    '| group | paths |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n'),
);
console.log(`${all.length} operations written to ${byTag.length} documents in docs/api`);
