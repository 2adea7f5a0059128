import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgets, compare, type Manifest, measure } from './console-bytes.ts';

const manifest: Manifest = {
  'index.html': { file: 'assets/index.js', isEntry: true, imports: ['_libraries.js'] },
  '_libraries.js': { file: 'assets/libraries.js' },
  '_table.js': { file: 'assets/table.js', imports: ['_libraries.js'] },
  'src/features/home/index.tsx': { file: 'assets/home.js', isDynamicEntry: true, imports: ['_libraries.js'] },
  'src/features/offers/index.tsx': {
    file: 'assets/offers.js',
    isDynamicEntry: true,
    imports: ['_table.js', 'index.html'],
  },
  'src/ui/styles/console.css': { file: 'assets/index.css' },
};
const sizes: Readonly<Record<string, number>> = {
  'assets/index.js': 100,
  'assets/libraries.js': 1_000,
  'assets/table.js': 50,
  'assets/home.js': 20,
  'assets/offers.js': 30,
};
const sizeOf = (file: string) => sizes[file] ?? assert.fail(file);

test('counts what a route loads in addition to the shell', () => {
  assert.deepEqual(measure(manifest, sizeOf), {
    shell: 1_100,
    routes: { 'src/features/home/index.tsx': 20, 'src/features/offers/index.tsx': 80 },
  });
});

test('accepts two percent of growth, and not a byte more', () => {
  const known = { shell: 100_000, routes: { home: 50_000 } };
  assert.deepEqual(compare({ shell: 102_000, routes: { home: 51_000 } }, known), []);
  assert.match(compare({ shell: 102_001, routes: { home: 50_000 } }, known).join(), /the shell grew/);
  assert.match(compare({ shell: 100_000, routes: { home: 51_001 } }, known).join(), /home grew/);
});

test('a budget applies regardless of the table; the canvas has its own', () => {
  const at = { shell: budgets.shell, routes: { home: budgets.route, 'flow-canvas': budgets.canvas } };
  assert.deepEqual(compare(at, at), []);
  for (const over of [
    { ...at, shell: budgets.shell + 1 },
    { ...at, routes: { ...at.routes, home: budgets.route + 1 } },
    { ...at, routes: { ...at.routes, 'flow-canvas': budgets.canvas + 1 } },
  ]) {
    assert.match(compare(over, over).join(), /over its budget/);
  }
});

test('reports an added or removed route', () => {
  const without = { shell: 1, routes: {} };
  const withIt = { shell: 1, routes: { home: 1 } };
  assert.match(compare(withIt, without).join(), /not in the table/);
  assert.match(compare(without, withIt).join(), /in the table only/);
});
