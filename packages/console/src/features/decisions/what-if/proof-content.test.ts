import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { proofContent } from './proof-content.ts';

test('finds the content in the page of a proof file', () => {
  const page = readFileSync(new URL('../../../proof/proof.html', import.meta.url), 'utf8');
  const place = '<script type="application/json" id="proof">';
  assert.equal(page.split(place).length, 2, 'as the server looks for it');
  assert.equal(proofContent(page.replace(place, `${place}{"format":1}`))?.trim(), '{"format":1}');
  assert.equal(proofContent('<p>no proof</p>'), null);
});
