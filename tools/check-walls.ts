import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { canaries, canaryBase, canaryPackages } from './walls/canaries.ts';
import { findCycles } from './walls/cycles.ts';
import { featureTiers, importRules } from './walls/import-rules.ts';
import { checkSource, sourceRuleNames } from './walls/source-rules.ts';

/**
 * `npm run walls`: holds the table of docs/architecture.md. First every rule must fail on its known-bad canary, then
 * the repository must pass, with at least as many modules seen as there are source files on disk.
 */

const root = join(import.meta.dirname, '..');
const folders = ['packages', 'test', 'tools'];
const ruleNames = [...importRules.map((rule) => rule.name ?? ''), ...sourceRuleNames, 'no-cycles'];

interface Finding {
  readonly rule: string;
  readonly text: string;
}

async function cruiseImports(baseDir: string): Promise<{ findings: Finding[]; modules: Set<string> }> {
  const present = folders.filter((folder) => readdirSync(baseDir).includes(folder));
  const result = await cruise(present, {
    baseDir,
    ruleSet: { forbidden: importRules },
    validate: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage)/' },
    combinedDependencies: false,
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default'] },
  });
  const output = result.output as ICruiseResult;
  return {
    findings: output.summary.violations.map((violation) => ({
      rule: violation.rule.name,
      text: `${violation.from} -> ${violation.to}`,
    })),
    modules: new Set(output.modules.map((module) => module.source)),
  };
}

function checkSources(baseDir: string): Finding[] {
  const texts = new Map(sourceFiles(baseDir).map((file) => [file, readFileSync(join(baseDir, file), 'utf8')]));
  const broken = [...texts].flatMap(([file, text]) =>
    checkSource(file, text).map((violation) => ({
      rule: violation.rule,
      text: `${violation.file}:${violation.line} ${violation.found}`,
    })),
  );
  const cycles = findCycles([...texts.keys()], (file) => texts.get(file) ?? '');
  return [...broken, ...cycles.map((files) => ({ rule: 'no-cycles', text: files.join(', ') }))];
}

function sourceFiles(baseDir: string): string[] {
  return globSync(
    folders.map((folder) => `${folder}/**/*.ts`),
    { cwd: baseDir, exclude: (name) => name === 'node_modules' },
  )
    .filter((file) => !file.includes('node_modules'))
    .sort();
}

/** Features that stand in no tier would be under no order. */
function unknownFeatures(baseDir: string): Finding[] {
  const known = new Set<string>(featureTiers.flat());
  const folder = join(baseDir, 'packages/server/src/features');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !known.has(entry.name))
    .map((entry) => ({ rule: 'feature-has-a-tier', text: `${entry.name} is missing in tools/walls/import-rules.ts` }));
}

function writeFiles(baseDir: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(baseDir, file)), { recursive: true });
    writeFileSync(join(baseDir, file), text);
  }
}

/** Builds each known-bad repository and asks for the rule that it breaks. Returns the rules that stayed silent. */
async function silentRules(): Promise<string[]> {
  const silent: string[] = [];
  for (const name of ruleNames) {
    const files = canaries[name];
    if (files === undefined) {
      if (!isTopFeature(name)) silent.push(`${name} (no canary)`);
      continue;
    }
    const baseDir = mkdtempSync(join(tmpdir(), 'arbiter-walls-'));
    try {
      writeFiles(baseDir, { ...canaryBase, ...files });
      mkdirSync(join(baseDir, 'node_modules/@arbiter'), { recursive: true });
      for (const name of canaryPackages) {
        symlinkSync(join('..', '..', 'packages', name), join(baseDir, 'node_modules/@arbiter', name));
      }
      const { findings } = await cruiseImports(baseDir);
      if (![...findings, ...checkSources(baseDir)].some((finding) => finding.rule === name)) silent.push(name);
    } finally {
      rmSync(baseDir, { recursive: true, force: true });
    }
  }
  return silent;
}

/** The last tier has nothing above it to import. */
function isTopFeature(rule: string): boolean {
  const top = featureTiers.at(-1) ?? [];
  return top.length === 1 && rule === `feature-order-${top[0]}`;
}

const silent = await silentRules();
if (silent.length > 0) {
  console.error(`walls: the checker is blind. Canaries not caught:\n  ${silent.join('\n  ')}`);
  process.exit(1);
}

const files = sourceFiles(root);
const { findings: imports, modules } = await cruiseImports(root);
const unseen = files.filter((file) => !modules.has(file));
const findings = [...imports, ...checkSources(root), ...unknownFeatures(root)];
for (const finding of findings) console.error(`${finding.rule}: ${finding.text}`);
for (const file of unseen) console.error(`module-not-seen: ${file}`);

const failed = findings.length + unseen.length;
console.log(
  `walls: ${files.length - unseen.length} of ${files.length} modules checked against ${ruleNames.length} rules, ` +
    `${Object.keys(canaries).length} canaries caught, ${failed} broken`,
);
process.exit(failed === 0 && files.length > 0 ? 0 : 1);
