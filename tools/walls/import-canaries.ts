import { breaking, type Canary, type Files, feature, folderOf, importing, lowest, server } from './canary.ts';
import { consoleDevelopmentLibraries } from './console-canaries.ts';
import { closedFor, featureTiers, openToPlain } from './tiers.ts';

const library = (name: string): Files => ({
  [`node_modules/${name}/package.json`]: `{"name":"${name}","version":"1.0.0","main":"index.js"}`,
  [`node_modules/${name}/index.js`]: '',
});

const workspace = (name: string, dependencies = '{}', development: readonly string[] = []): Files => ({
  [`packages/${name}/package.json`]: JSON.stringify({
    name: `@arbiter/${name}`,
    exports: { '.': './src/index.ts', './*': './src/*.ts' },
    dependencies: JSON.parse(dependencies),
    devDependencies: Object.fromEntries(development.map((library) => [library, '1.0.0'])),
  }),
  [`packages/${name}/src/index.ts`]: 'export const x = 1;\n',
});

/** A feature without a tier, in the group of the others and in one of its own. */
const plain = ['any-group/plain', 'plain-group/plain'];

/** Features without a tier that follow their order: one imports records and everything below. */
const plainFiles: Files = {
  ...Object.fromEntries(plain.map((folder) => [`${server}/features/${folder}/index.ts`, 'export const x = 1;\n'])),
  [`${server}/features/any-group/plain/on-records.ts`]: [
    ...openToPlain.map((name, at) => `import { x as x${at} } from '../../${folderOf(name)}/index.ts';`),
    "import { x } from './index.ts';",
    `export const all = [x, ${openToPlain.map((_, at) => `x${at}`).join(', ')}];`,
  ].join('\n'),
};

/** Files that the canaries import, without faults of their own. */
export const importedFiles: Files = {
  ...library('pg'),
  ...library('undici'),
  ...library('openai'),
  ...library('@anthropic-ai/sdk'),
  ...library('graphile-worker'),
  ...library('ajv'),
  'package.json': '{"name":"canary","devDependencies":{"ajv":"1.0.0"}}',
  ...workspace('engine'),
  ...workspace('contract', '{"ajv":"1.0.0"}'),
  ...workspace('sdk', '{"ajv":"1.0.0"}'),
  ...workspace('lab'),
  ...workspace('packs'),
  ...workspace('console', '{"pg":"1.0.0"}', consoleDevelopmentLibraries),
  ...workspace('cli'),
  ...workspace(
    'server',
    '{"pg":"1.0.0","undici":"1.0.0","openai":"1.0.0","@anthropic-ai/sdk":"1.0.0","graphile-worker":"1.0.0"}',
  ),
  'packages/engine/src/inner.ts': 'export const x = 1;\n',
  'packages/engine/test/kit.ts': 'export const x = 1;\n',
  [`${server}/main/start.ts`]: 'export const x = 1;\n',
  [`${server}/http/binder.ts`]: 'export const x = 1;\n',
  [`${server}/http/test-kit.ts`]: 'export const x = 1;\n',
  [`${feature}/inner.ts`]: 'export const x = 1;\n',
  'tools/tool.ts': 'export const x = 1;\n',
  ...Object.fromEntries(
    featureTiers.flat().map((name) => [`${server}/features/${folderOf(name)}/index.ts`, 'export const x = 1;\n']),
  ),
  ...plainFiles,
};

/** Packages linked into node_modules, as npm workspaces does. */
export const linkedPackages = ['engine', 'lab', 'contract', 'sdk', 'packs', 'console', 'cli', 'server'];

/** Each feature importing each one next to or above it. */
const featureOrder: readonly Canary[] = featureTiers.flat().flatMap((name) =>
  breaking(
    `feature-order-${name}`,
    `${server}/features/${folderOf(name)}`,
    closedFor(name).map((closed) => importing(`../../${folderOf(closed)}/index.ts`)),
  ),
);

/** A feature without a tier importing each one above records and another one without, and each feature importing it. */
const plainFeatures: readonly Canary[] = [
  ...plain.flatMap((folder) =>
    breaking(
      'feature-without-a-tier-imports-records',
      `${server}/features/${folder}`,
      [
        ...featureTiers
          .flat()
          .filter((name) => !openToPlain.includes(name))
          .map(folderOf),
        ...plain,
      ]
        .filter((other) => other !== folder)
        .map((other) => importing(`../../${other}/index.ts`)),
    ),
  ),
  ...[...featureTiers.flat().map(folderOf), ...plain].flatMap((folder) =>
    breaking(
      'feature-without-a-tier-is-not-imported',
      `${server}/features/${folder}`,
      plain.filter((other) => other !== folder).map((other) => importing(`../../${other}/index.ts`)),
    ),
  ),
];

const anotherFeature = featureTiers.flat().at(-1) ?? '';

/** Rule, folder of the file that breaks it, and its import. */
const imports: readonly (readonly [rule: string, folder: string, specifier: string])[] = [
  ['package-engine', 'packages/engine/src', '@arbiter/contract'],
  ['package-contract', 'packages/contract/src', '@arbiter/engine'],
  ['package-sdk', 'packages/sdk/src', '@arbiter/engine'],
  ['package-lab', 'packages/lab/src', '@arbiter/contract'],
  ['package-packs', 'packages/packs/src', '@arbiter/engine'],
  ['package-server', `${server}/http`, '@arbiter/sdk'],
  ['package-console', 'packages/console/src', '@arbiter/server'],
  ['package-cli', 'packages/cli/src', '@arbiter/packs'],
  ['server-platform', `${server}/platform`, '../http/binder.ts'],
  ['server-db', `${server}/db`, '../http/binder.ts'],
  ['server-http', `${server}/http`, `../features/${folderOf(lowest)}/index.ts`],
  ['server-jobs', `${server}/jobs`, '../http/binder.ts'],
  ['server-features', feature, '../../../main/start.ts'],
  ['engine-imports-nothing', 'packages/engine/src', 'node:crypto'],
  ['lab-imports-the-engine-only', 'packages/lab/src', 'node:crypto'],
  ['engine-plan-is-the-ground-floor', 'packages/engine/src/plan', '../inner.ts'],
  ['contract-imports-typebox-only', 'packages/contract/src', 'ajv'],
  ['packs-and-sdk-have-no-library', 'packages/sdk/src', 'ajv'],
  ['packages-meet-at-the-door', `${server}/http`, '../../../engine/src/inner.ts'],
  ['cli-starts-the-server-in-two-files', 'packages/cli/src/commands', '@arbiter/server'],
  ['nothing-imports-main', `${server}/http`, '../main/start.ts'],
  ['server-does-not-use-its-own-door', `${server}/http`, '../index.ts'],
  ['features-meet-at-the-door', `${server}/features/${folderOf(anotherFeature)}`, `../../${folderOf(lowest)}/inner.ts`],
  ['main-uses-feature-doors', `${server}/main`, `../features/${folderOf(lowest)}/inner.ts`],
  ['jobs-own-the-queue', feature, 'graphile-worker'],
  ['platform-owns-the-outside', feature, 'undici'],
  ['platform-owns-the-outside', `${server}/main`, 'openai'],
  ['platform-owns-the-outside', `${server}/http`, '@anthropic-ai/sdk'],
  ['processes-are-started-in-db-and-main', feature, 'node:child_process'],
  ['threads-are-started-in-main', feature, 'node:worker_threads'],
  ['no-unresolved', `${server}/http`, './absent.ts'],
  ['declared-dependencies', `${server}/http`, 'ajv'],
  ['tests-stay-tests', `${server}/http`, './test-kit.ts'],
  ['tests-stay-tests', 'packages/engine/src', '../test/kit.ts'],
  ['packages-do-not-use-tools-or-suites', `${server}/http`, '../../../../tools/tool.ts'],
];

const importingType = (specifier: string): string =>
  `import type { x } from '${specifier}';\nexport type y = typeof x;`;

/** Files that need each other's types, in each way of naming them. */
const typeCycles: readonly Files[] = [
  {
    [`${server}/http/type-a.ts`]: importingType('./type-b.ts'),
    [`${server}/http/type-b.ts`]: importingType('./type-a.ts'),
  },
  {
    [`${server}/http/mixed-a.ts`]: "import { type x, y } from './mixed-b.ts';\nexport const z: x = y;",
    [`${server}/http/mixed-b.ts`]: "import type { z } from './mixed-a.ts';\nexport type x = typeof z;",
  },
  {
    [`${server}/http/inline-a.ts`]: "export type x = import('./inline-b.ts').y;",
    [`${server}/http/inline-b.ts`]: importingType('./inline-a.ts'),
  },
  {
    [`${server}/http/passed-on-a.ts`]: "export type * from './passed-on-b.ts';",
    [`${server}/http/passed-on-b.ts`]: "export type { y } from './passed-on-c.ts';",
    [`${server}/http/passed-on-c.ts`]: importingType('./passed-on-a.ts'),
  },
  {
    'packages/contract/src/door-a.ts': importingType('@arbiter/contract/door-b'),
    'packages/contract/src/door-b.ts': importingType('./door-a.ts'),
  },
];

export const importCanaries: readonly Canary[] = [
  ...featureOrder,
  ...plainFeatures,
  ...imports.flatMap(([rule, folder, specifier]) => breaking(rule, folder, [importing(specifier)])),
  // The room is a single file today. A folder with that name would follow the same rule.
  { rule: 'server-feature', files: { [`${server}/feature.ts`]: importing(`./features/${folderOf(lowest)}/index.ts`) } },
  ...breaking('server-feature', `${server}/feature`, [importing(`../features/${folderOf(lowest)}/index.ts`)]),
  {
    rule: 'no-cycles',
    files: { [`${server}/http/a.ts`]: importing('./b.ts'), [`${server}/http/b.ts`]: importing('./a.ts') },
  },
  ...breaking(
    'engine-plan-is-the-ground-floor',
    'packages/engine/src/plan',
    [importingType('../inner.ts')],
    '-type.ts',
  ),
  ...typeCycles.map((files) => ({ rule: 'no-type-cycles', files })),
  { rule: 'feature-has-a-folder', files: { [`${server}/features/stray.ts`]: 'export const x = 1;' } },
  { rule: 'feature-has-a-folder', files: { [`${server}/features/catalogue/stray.ts`]: 'export const x = 1;' } },
  // The import crawler skips build output.
  { rule: 'module-not-seen', files: { 'packages/cli/dist/left-behind.ts': 'export const x = 1;' } },
];
