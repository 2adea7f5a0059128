import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultTenantSettings } from '@arbiter/contract';

/** Settings that are accepted and do nothing (docs/design/api-settled.md 107): the list is the code's, so it must shrink with it. */

const root = join(import.meta.dirname, '../../../../../..');
const rooms = ['packages/server/src', 'packages/console/src'].map((room) => join(root, room));
/** What only stores, shows or lists settings does nothing with them. */
const carriers = ['/features/identity/settings/', '/features/settings/', '/messages/settings.ts'];

function sources(): string {
  return rooms
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.') && !/\/test-[^/]+$/.test(file))
    .filter((file) => !carriers.some((carrier) => file.includes(carrier)))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/** Reserved: any other value than the default is refused, so they promise nothing. */
const reserved = ['consentRequired', 'fairnessPolicy', 'mlWorker', 'allowedIpRanges'];

test('some code reads every setting', () => {
  const code = sources();
  const names = Object.keys(defaultTenantSettings).filter((name) => name !== 'aiAnalyzerSettings');
  const unread = [...names, 'llmExplanationsEnabled'].filter(
    (name) => !reserved.includes(name) && !new RegExp(`\\b${name}\\b`).test(code),
  );
  assert.deepEqual(unread, []);
});

test('settings of features that do not exist are unknown', () => {
  for (const name of ['enableGuardrails', 'flowIrEnabled']) assert.ok(!Object.hasOwn(defaultTenantSettings, name));
});
