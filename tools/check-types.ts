import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faults } from './planted-faults.ts';

/**
 * `npm run types`: runs the compiler over the repository, over the engine and the console with their own settings, and
 * over a copy of the sources with the faults of `planted-faults.ts`, each of which it must report. The first runs
 * beside the other two.
 */

const root = join(import.meta.dirname, '..');
const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
// Use one checker: several would repeat the work on shared types.
const options = ['--noEmit', '--pretty', 'false', '--checkers', '1'];

interface Run {
  readonly ok: boolean;
  readonly output: string;
}

function compile(project: string): Promise<Run> {
  const child = spawn(process.execPath, [compiler, ...options, '-p', project], { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

const copied = ['packages/contract', 'packages/engine', 'packages/lab', 'packages/server', 'packages/packs'];

/** Copies the sources and links every library, so that imports of our packages resolve to the copy. */
function copySources(copy: string): void {
  for (const folder of copied) {
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (file) => !file.includes('node_modules'),
    });
  }
  mkdirSync(join(copy, 'node_modules/@arbiter'), { recursive: true });
  for (const library of readdirSync(join(root, 'node_modules'))) {
    if (library.startsWith('.') || library === '@arbiter') continue;
    symlinkSync(join(root, 'node_modules', library), join(copy, 'node_modules', library));
  }
  for (const folder of copied) {
    symlinkSync(join(copy, folder), join(copy, folder.replace('packages', 'node_modules/@arbiter')));
  }
  const files = [...new Set(faults.map(({ file, seenIn }) => seenIn ?? file))];
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: [], files }),
  );
}

function plantFaults(copy: string): void {
  for (const { name, file, replace, by } of faults) {
    const text = readFileSync(join(copy, file), 'utf8');
    if (!text.includes(replace)) throw new Error(`"${name}" cannot be planted: ${file} does not say ${replace}`);
    writeFileSync(join(copy, file), text.replace(replace, by));
  }
}

/** Returns the names of faults that the compiler misses. */
async function unseenFaults(): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'arbiter-types-'));
  try {
    copySources(copy);
    plantFaults(copy);
    const { output } = await compile(join(copy, 'tsconfig.json'));
    return faults.filter(({ file, seenIn }) => !output.includes(`${seenIn ?? file}(`)).map(({ name }) => name);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Packages with their own settings: the engine, which knows no platform, and the console, which runs in browsers. */
const ownSettings = [
  'packages/engine/tsconfig.json',
  'packages/lab/tsconfig.json',
  'packages/console/tsconfig.json',
  'packages/console/tsconfig.test.json',
];

async function othersAndFaults(): Promise<{ readonly others: readonly Run[]; readonly unseen: readonly string[] }> {
  const others: Run[] = [];
  for (const project of ownSettings) others.push(await compile(project));
  return { others, unseen: await unseenFaults() };
}

const [whole, { others, unseen }] = await Promise.all([compile('tsconfig.json'), othersAndFaults()]);
process.stderr.write([whole, ...others].map(({ output }) => output).join(''));
for (const name of unseen) console.error(`types: the compiler does not see that ${name}`);
const ok = whole.ok && others.every((run) => run.ok) && unseen.length === 0;
console.log(
  `types: ${ok ? 'no errors' : 'errors'}, ${faults.length - unseen.length} of ${faults.length} planted faults seen`,
);
process.exit(ok ? 0 : 1);
