import { readdirSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { findCycles } from './cycles.ts';
import { importRules } from './import-rules.ts';
import { type Finding, folders, type Repository } from './repository.ts';
import { checkSource, sourceRuleNames } from './source-rules.ts';
import { featureTiers } from './tiers.ts';

/** Every rule of the walls: each must be seen to fail on a canary. */
export const ruleNames: readonly string[] = [
  ...importRules.map((rule) => rule.name ?? ''),
  ...sourceRuleNames,
  'no-cycles',
  'feature-has-a-tier',
  'module-not-seen',
];

/** Holds a repository against all walls. */
export async function inspect(repository: Repository): Promise<Finding[]> {
  const { findings, seen } = await cruiseImports(repository.baseDir);
  return [
    ...findings,
    ...unseen(repository, seen),
    ...[...repository.sources.values()].flatMap(checkSource),
    ...cycles(repository),
    ...strayFeatures(repository),
  ];
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
      text: `-> ${to}`,
    })),
    seen: new Set(output.modules.map((module) => module.source)),
  };
}

/** A checker that skips a file finds nothing wrong with it. */
function unseen({ sources }: Repository, seen: ReadonlySet<string>): Finding[] {
  const missing = [...sources.keys()].filter((file) => !seen.has(file));
  return missing.map((file) => ({ rule: 'module-not-seen', file, text: 'dependency-cruiser passed it by' }));
}

function cycles({ sources }: Repository): Finding[] {
  return findCycles(sources).map((files) => ({ rule: 'no-cycles', file: files[0] ?? '', text: files.join(', ') }));
}

/** Features that stand in no tier would be under no order. */
function strayFeatures({ files }: Repository): Finding[] {
  const known = new Set(featureTiers.flat());
  const firstFiles = new Map<string, string>();
  for (const file of files) {
    const feature = /^packages\/server\/src\/features\/([^/]+)\//.exec(file)?.[1];
    if (feature !== undefined && !known.has(feature) && !firstFiles.has(feature)) firstFiles.set(feature, file);
  }
  const text = 'its feature has no line in tools/walls/tiers.ts';
  return [...firstFiles.values()].map((file) => ({ rule: 'feature-has-a-tier', file, text }));
}
