import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tiersAsText } from '../walls/tiers.ts';

/** Writes the order of the features into its block of docs/architecture.md. */
const file = join(import.meta.dirname, '../../docs/architecture.md');
const block = /(<!-- Generated from tools\/walls\/tiers\.ts -->\n```\n)[^`]*(\n```)/;
const page = readFileSync(file, 'utf8');
if (!block.test(page)) throw new Error('docs/architecture.md has no block for the tiers');
writeFileSync(
  file,
  page.replace(block, (_, opening: string, closing: string) => opening + tiersAsText() + closing),
);
