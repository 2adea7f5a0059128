import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Canary, Files } from './canary.ts';
import { consoleCanaries, consoleFiles } from './console-canaries.ts';
import { importCanaries, importedFiles, linkedPackages } from './import-canaries.ts';
import { inspect, ruleNames } from './inspect.ts';
import type { NotYet } from './not-yet.ts';
import { readRepository } from './repository.ts';
import { harmlessSources, sourceCanaries } from './source-canaries.ts';
import { sqlCanaries, tableFiles } from './sql-canaries.ts';

/**
 * Known-bad code. All of it lives in one small repository, where each rule must report a file of each of its canaries;
 * otherwise the rule checks nothing. The repository's other files must produce no finding: a rule that reports
 * everything would pass the first test.
 */
export const canaries: readonly Canary[] = [
  ...importCanaries,
  ...consoleCanaries,
  ...sourceCanaries,
  ...sqlCanaries,
  { rule: 'folders-hold-30-files', files: crowd(31) },
  { rule: 'done-work-leaves-the-list', files: { 'tools/walls/not-yet.ts': '' } },
];

/** Files of one folder. */
function crowd(count: number): Files {
  const names = Array.from({ length: count }, (_, at) => `test/crowd-of-${count}/one-${at}.ts`);
  return Object.fromEntries(names.map((name) => [name, 'export const one = 1;\n']));
}

const harmless: Files = { ...crowd(30), ...importedFiles, ...consoleFiles, ...harmlessSources, ...tableFiles };

/** Lists a file that doesn't break the rule. */
const done: NotYet = { 'sql-stands-in-stores': { 'packages/server/src/http/binding/binder.ts': ['.query()'] } };

/**
 * Returns the problems of the checker, one per line. Empty if it finds every planted fault and reports nothing else.
 */
export async function blindSpots(): Promise<string[]> {
  const baseDir = mkdtempSync(join(tmpdir(), 'arbiter-walls-'));
  try {
    const clashes = writeCanaries(baseDir);
    const findings = await inspect(readRepository(baseDir), done);
    const unknown = ruleNames.filter((name) => !canaries.some(({ rule }) => rule === name));
    const silent = canaries.filter(
      ({ rule, files }) => !findings.some((finding) => finding.rule === rule && finding.file in files),
    );
    const loud = findings.filter(({ file }) => !canaries.some(({ files }) => file in files));
    return [
      ...clashes.map((file) => `${file} stands in two canaries`),
      ...unknown.map((name) => `${name} has no canary`),
      ...silent.map(({ rule, files }) => `${rule} does not see ${Object.entries(files).flat().join('\n    ')}`),
      ...loud.map(({ rule, file, what }) => `${rule} finds fault with harmless code: ${file} ${what}`),
    ];
  } finally {
    rmSync(baseDir, { recursive: true, force: true });
  }
}

/** Builds the repository. Returns files that would be written twice. */
function writeCanaries(baseDir: string): string[] {
  const written = new Set<string>();
  const clashes: string[] = [];
  for (const files of [harmless, ...canaries.map((canary) => canary.files)]) {
    for (const [file, text] of Object.entries(files)) {
      if (written.has(file)) clashes.push(file);
      written.add(file);
      mkdirSync(dirname(join(baseDir, file)), { recursive: true });
      writeFileSync(join(baseDir, file), text);
    }
  }
  mkdirSync(join(baseDir, 'node_modules/@arbiter'), { recursive: true });
  for (const name of linkedPackages) {
    symlinkSync(join('..', '..', 'packages', name), join(baseDir, 'node_modules/@arbiter', name));
  }
  return clashes;
}
