import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/**
 * The engine must not contain anything that the language leaves to the platform, or that depends on time, place or
 * chance: the same plan, inputs, clock and seed give the same bytes on any machine (docs/design/decisioning.md 2,
 * docs/design/api-decisioning.md 1).
 */
const FORBIDDEN: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /\bMath\s*\.\s*(?!(?:abs|ceil|clz32|floor|fround|imul|max|min|round|sign|sqrt|trunc|LN2|LOG2E|PI)\b)\w+/,
    'arithmetic/',
  ],
  [/\bMath\s*\[|=\s*Math\b(?!\s*\.)/, 'the function by its name'],
  [/\*\*(?!\/|\*)/, 'pow of arithmetic/'],
  [/\bDate\b(?!\s*;)/, 'arithmetic/calendar.ts and the clock of the input'],
  [
    /\b(?:Intl|performance|process|crypto|globalThis|setTimeout|setInterval|queueMicrotask|fetch|console)\b\s*[.([]/,
    'inputs',
  ],
  [/\.(?:toLocale\w+|localeCompare)\b/, 'compareText, toUpperCase, toLowerCase'],
  [/\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/, 'the formula compiler'],
  [/\bimport\s*\(|\brequire\s*\(/, 'static imports'],
];

const root = new URL('../src/', import.meta.url);
/** Without tests and what only they use (`test-<subject>.ts`). */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !/(^|[\\/])test-[^\\/]*$/.test(name),
);

/** The code without comments and without the contents of texts. */
function codeOf(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}

function violationsIn(text: string): string[] {
  return FORBIDDEN.flatMap(([pattern, instead]) => {
    const found = pattern.exec(codeOf(text))?.[0];
    return found === undefined ? [] : [`${found.trim()} (use ${instead})`];
  });
}

test('the check finds what it must find', () => {
  for (const text of [
    'const x = Math.exp(1);',
    'Math.log(2)',
    'Math.pow(a, b)',
    'Math.random()',
    'a ** b',
    'a **= 2',
    'Date.now()',
    'new Date(0)',
    'new Intl.NumberFormat()',
    'a.localeCompare(b)',
    'n.toLocaleString()',
    'process.env',
    "await import('node:fs')",
    'new Function("x")',
  ]) {
    assert.notDeepEqual(violationsIn(text), [], text);
  }
  assert.deepEqual(violationsIn("/** Date.now() */ const s = 'Math.exp'; // Math.log\nMath.floor(Math.sqrt(2))"), []);
});

test('the engine is pure', () => {
  assert.ok(sources.length > 20);
  for (const name of sources) {
    const text = readFileSync(new URL(name, root), 'utf8');
    assert.deepEqual(violationsIn(text), [], name);
  }
});

test('the engine imports only itself', () => {
  for (const name of sources) {
    const text = readFileSync(new URL(name, root), 'utf8');
    const imports = [...text.matchAll(/\bfrom\s+'([^']+)'|\bimport\s+'([^']+)'/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    const depth = name.split(/[\\/]/).length - 1;
    for (const path of imports) {
      assert.ok(path.startsWith('.'), `${name} imports ${path}`);
      const up = path.split('/').filter((part) => part === '..').length;
      assert.ok(up <= depth, `${name} imports ${path} from outside the engine`);
    }
  }
});
