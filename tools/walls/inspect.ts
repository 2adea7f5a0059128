import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { findCycles, findTypeCycles } from './cycles.ts';
import { importRules } from './import-rules.ts';
import { namelessFiles } from './name-rules.ts';
import type { NotYet } from './not-yet.ts';
import { type Finding, folders, type Repository } from './repository.ts';
import { checkSource, sourceRuleNames } from './source-rules.ts';
import { checkTables, tableRules } from './tables.ts';

/** Every rule of the walls. Each must fail on a canary. */
export const ruleNames: readonly string[] = [
  ...importRules.map((rule) => rule.name ?? ''),
  ...sourceRuleNames,
  ...tableRules,
  'files-are-named-by-subject',
  'no-cycles',
  'no-type-cycles',
  'feature-has-a-folder',
  'folders-hold-30-files',
  'module-not-seen',
  'done-work-leaves-the-list',
];

/** Checks a repository against all walls. Leaves out findings listed in `known`. */
export async function inspect(repository: Repository, known: NotYet): Promise<Finding[]> {
  const { findings, seen } = await cruiseImports(repository.baseDir);
  const all = [
    ...findings,
    ...unseen(repository, seen),
    ...[...repository.sources.values()].flatMap(checkSource),
    ...checkTables(repository),
    ...namelessFiles(repository),
    ...cycles(repository),
    ...strayFeatures(repository),
    ...crowdedFolders(repository),
  ];
  const isKnown = ({ rule, file, what }: Finding) => known[rule]?.[file]?.includes(what) === true;
  return [...all.filter((finding) => !isKnown(finding)), ...doneWork(all, known)];
}

/** Returns listed findings that no longer occur. */
function doneWork(all: readonly Finding[], known: NotYet): Finding[] {
  const found = new Set(all.map(({ rule, file, what }) => `${rule} ${file} ${what}`));
  return Object.entries(known)
    .flatMap(([rule, files]) =>
      Object.entries(files).flatMap(([file, entries]) => entries.map((what) => [rule, file, what])),
    )
    .filter((entry) => !found.has(entry.join(' ')))
    .map((entry) => {
      return { rule: 'done-work-leaves-the-list', file: 'tools/walls/not-yet.ts', line: 0, what: entry.join(' ') };
    });
}

async function cruiseImports(baseDir: string): Promise<{ findings: Finding[]; seen: ReadonlySet<string> }> {
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
    findings: output.summary.violations.map(({ rule, from, to }) => ({
      rule: rule.name,
      file: from,
      line: 0,
      what: `-> ${to}`,
    })),
    seen: new Set(output.modules.map((module) => module.source)),
  };
}

/** A checker that skips a file finds no fault in it. */
function unseen({ sources }: Repository, seen: ReadonlySet<string>): Finding[] {
  const missing = [...sources.keys()].filter((file) => !seen.has(file));
  return missing.map((file) => ({ rule: 'module-not-seen', file, line: 0, what: 'dependency-cruiser passed it by' }));
}

function cycles({ sources }: Repository): Finding[] {
  return [...cyclesAs('no-cycles', findCycles(sources)), ...cyclesAs('no-type-cycles', findTypeCycles(sources))];
}

function cyclesAs(rule: string, found: readonly (readonly string[])[]): Finding[] {
  return found.map((files) => ({ rule, file: files[0] ?? '', line: 0, what: files.join(', ') }));
}

const maxFiles = 30;

/** A folder that doesn't fit on a screen is hard to navigate. */
function crowdedFolders({ sources }: Repository): Finding[] {
  const byFolder = Object.groupBy([...sources.keys()].sort(), (file) => dirname(file));
  return Object.values(byFolder).flatMap((files = []) => {
    const [file = ''] = files;
    const what = `one of ${files.length} files in its folder`;
    return files.length > maxFiles ? [{ rule: 'folders-hold-30-files', file, line: 0, what }] : [];
  });
}

/** Where features are. A file beside them would follow no order. */
const featureFolders = [
  { within: 'packages/server/src/features/', inFeature: /^[^/]+\/[^/]+\//, shape: '<group>/<feature>/' },
  { within: 'packages/console/src/features/', inFeature: /^[^/]+\//, shape: '<feature>/' },
];

function strayFeatures({ files }: Repository): Finding[] {
  return featureFolders.flatMap(({ within, inFeature, shape }) =>
    files
      .filter((file) => file.startsWith(within) && !inFeature.test(file.slice(within.length)))
      .map((file) => ({ rule: 'feature-has-a-folder', file, line: 0, what: `belongs into ${within}${shape}` })),
  );
}
