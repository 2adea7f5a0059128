import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openapi, operations } from '@arbiter/contract';

/** Writes docs/api/openapi.json, the committed copy of what the server answers under /api/openapi.json. */
const root = join(import.meta.dirname, '..');
const target = join(root, 'docs/api/openapi.json');
const document = openapi(Object.values(operations), { version: '0.1.0', serverUrl: 'http://localhost:3000' });

mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(document, null, 1)}\n`);
console.log(`${Object.keys(operations).length} operations written to docs/api/openapi.json`);
