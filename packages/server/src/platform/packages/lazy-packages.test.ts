import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { lazyPackages } from './lazy-packages.ts';

/** Prints which of the packages node has loaded: after importing the server, and after the first use of one. */
const program = `
  import { createRequire } from 'node:module';
  const require = createRequire(import.meta.dirname + '/platform/');
  const names = ['sanitize-html', 'undici', 'xml-crypto', '@xmldom/xmldom', 'yaml'];
  const loaded = () => names.filter((name) => require.cache[require.resolve(name)] !== undefined);
  await import('./index.ts');
  const ready = loaded();
  (await import('./platform/packages/lazy-packages.ts')).lazyPackages.yaml();
  console.log(JSON.stringify([ready, loaded()]));`;

test('loads a package at its first use, not with the server', () => {
  const cwd = new URL('../..', import.meta.url);
  const args = ['--input-type=module', '--eval', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [[], ['yaml']]);
});

test('each name leads to its package', () => {
  const { sanitizeHtml, undici, xmlCrypto, xmlDom, yaml } = lazyPackages;
  assert.equal(sanitizeHtml()('<b>a</b><script>b</script>'), '<b>a</b>');
  assert.equal(typeof undici().request, 'function');
  assert.equal(typeof xmlCrypto().SignedXml, 'function');
  assert.equal(new (xmlDom().DOMParser)().parseFromString('<a/>', 'text/xml').documentElement?.localName, 'a');
  assert.deepEqual(yaml().parse('a: 1'), { a: 1 });
});
