import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastFiles } from './fast-tests.ts';

const fastOf = (sources: Readonly<Record<string, string>>) =>
  fastFiles(
    Object.keys(sources).filter((file) => file.endsWith('.test.ts')),
    (file) => sources[file] ?? '',
  );

test('a test is fast unless a chain of its imports starts a server, a database, a browser or a program', () => {
  const fast = fastOf({
    'packages/a/rules.test.ts': "import { rule } from './rules.ts';\nimport type { Page } from 'playwright-core';",
    'packages/a/rules.ts': "import { z } from 'typebox';",
    'packages/a/stored.test.ts': "import {\n  rows,\n} from '../b/stage.ts';",
    'packages/b/stage.ts': "export { rows } from './rows.ts';",
    'packages/b/rows.ts': "import { createTestDatabase } from '../server/src/db/test-database.ts';",
    'test/page.test.ts': "import { chromium } from 'playwright-core';",
    'test/program.test.ts': "const { spawn } = await import('node:child_process');",
  });
  assert.deepEqual(fast, ['packages/a/rules.test.ts']);
});

test('handles circular imports', () => {
  const circle = { 'a/x.test.ts': "import './y.ts';", 'a/y.ts': "import '../a/x.test.ts';" };
  assert.deepEqual(fastOf(circle), ['a/x.test.ts']);
});
