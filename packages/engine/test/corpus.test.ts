import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { canonicalJson, diffResults, type Json } from '../src/index.ts';
import { readCorpus, resultText } from './corpus/record.ts';

const folder = new URL('../corpus/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl.br'));

test('the corpus exists', () => assert.ok(files.length > 0));

for (const file of files) {
  test(`${file}: decides the same as an earlier engine, byte for byte`, () => {
    let count = 0;
    let filled = 0;
    readCorpus(
      brotliDecompressSync(readFileSync(new URL(file, folder))).toString('utf8'),
      (plan, { input, result }, line) => {
        const again = resultText(plan, input);
        if (again !== canonicalJson(result)) {
          const differences = diffResults(result, JSON.parse(again) as Json);
          assert.fail(`line ${line}: ${JSON.stringify(differences.slice(0, 5))}`);
        }
        count += 1;
        if ((JSON.parse(again) as { readonly items: readonly Json[] }).items.length > 0) filled += 1;
      },
    );
    assert.equal(count, 2000);
    assert.ok(filled > 800, `${filled} of them decide something`);
  });
}
