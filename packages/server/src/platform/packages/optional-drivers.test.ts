import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createDrivers, driversFolder } from './optional-drivers.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arbiter-drivers-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Writes a package `tedious` that exports this text. */
function writeDriver(folder: string, text: string): void {
  const place = join(folder, 'node_modules/tedious');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'tedious', main: 'index.js', type: 'commonjs' }));
  writeFileSync(join(place, 'index.js'), `exports.text = ${JSON.stringify(text)};`);
}

test('finds a driver that is installed later', async () => {
  const folder = driversFolder(root);
  const drivers = createDrivers(folder);
  const isMissing = { reason: 'driver_missing', driver: 'tedious' };
  await assert.rejects(drivers.load('tedious'), isMissing);
  writeDriver(join(folder, '.installing-x'), 'half');
  await assert.rejects(drivers.load('tedious'), isMissing);
  writeDriver(join(folder, 'tedious'), 'whole');
  assert.equal(((await drivers.load('tedious')) as { text: string }).text, 'whole');
});

test('loads no driver from a folder above DATA_DIR', async () => {
  const folder = driversFolder(join(root, 'data'));
  mkdirSync(join(folder, 'tedious'), { recursive: true });
  writeDriver(root, 'planted');
  await assert.rejects(createDrivers(folder).load('tedious'), { reason: 'driver_missing' });
});
