import type { IForbiddenRuleType } from 'dependency-cruiser';
import { consoleImportRules } from './console-rules.ts';
import { testFile } from './test-file.ts';
import { closedFor, featureTiers, openToPlain } from './tiers.ts';

/**
 * The table of docs/architecture.md as dependency-cruiser rules. Paths are relative to the repository's root. Rules
 * that need more than an import graph are in source-rules.ts. Every rule needs a canary (canaries.ts).
 */

const features = '^packages/server/src/features/';

/** Matches files of these features, whatever their group. */
const foldersOf = (names: readonly string[]): string => `${features}[^/]+/(${names.join('|')})/`;

const featureOrder: IForbiddenRuleType[] = featureTiers.flat().flatMap((feature) => {
  const closed = closedFor(feature);
  if (closed.length === 0) return [];
  const rule: IForbiddenRuleType = {
    name: `feature-order-${feature}`,
    comment: `${feature} may import features below it only; what lies beside or above comes through a port that main plugs in.`,
    severity: 'error',
    from: { path: foldersOf([feature]), pathNot: testFile },
    to: { path: foldersOf(closed) },
  };
  return [rule];
});

/** Features without a tier: they import records and what lies below, and nothing imports them. */
const plainFeatures: IForbiddenRuleType[] = [
  {
    name: 'feature-without-a-tier-imports-records',
    comment: 'A feature that imports more needs a tier (tools/walls/tiers.ts).',
    severity: 'error',
    from: { path: `${features}([^/]+/[^/]+)/`, pathNot: [testFile, foldersOf(featureTiers.flat())] },
    to: { path: features, pathNot: [`${features}$1/`, foldersOf(openToPlain)] },
  },
  {
    name: 'feature-without-a-tier-is-not-imported',
    comment: 'A feature that others import needs a tier (tools/walls/tiers.ts).',
    severity: 'error',
    from: { path: `${features}([^/]+/[^/]+)/`, pathNot: testFile },
    to: { path: features, pathNot: [`${features}$1/`, foldersOf(featureTiers.flat())] },
  },
];

/** Rooms of the server, each with the rooms that it may import. `main` may import all. */
const serverRooms: Readonly<Record<string, readonly string[]>> = {
  platform: ['config'],
  db: ['platform', 'config'],
  http: ['platform', 'db', 'config'],
  jobs: ['platform', 'db', 'config'],
  // One file: how a feature describes itself.
  feature: ['platform', 'db', 'http', 'jobs', 'config'],
  features: ['platform', 'db', 'http', 'jobs', 'config', 'feature'],
};

const roomOrder: IForbiddenRuleType[] = Object.entries(serverRooms).map(([room, allowed]) => ({
  name: `server-${room}`,
  comment: `packages/server/src/${room} may import ${allowed.join(', ')} and itself.`,
  severity: 'error',
  from: { path: `^packages/server/src/${room}(/|\\.ts$)`, pathNot: testFile },
  to: {
    path: '^packages/server/src/',
    pathNot: [
      `^packages/server/src/${room}(/|\\.ts$)`,
      ...allowed.map((other) => `^packages/server/src/${other}(/|\\.ts$)`),
    ],
  },
}));

/** Workspace packages, each with the packages that it may import. */
const packageTable: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  contract: [],
  sdk: ['contract'],
  packs: ['contract'],
  lab: ['engine'],
  server: ['engine', 'contract', 'lab', 'packs'],
  console: ['contract', 'sdk', 'engine', 'lab'],
  cli: ['contract', 'sdk', 'engine', 'lab', 'server'],
};

const packageOrder: IForbiddenRuleType[] = Object.entries(packageTable).map(([name, allowed]) => ({
  name: `package-${name}`,
  comment: `packages/${name} may import ${allowed.length > 0 ? allowed.join(', ') : 'no package of this repository'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/` },
  to: { path: '^packages/', pathNot: [name, ...allowed].map((other) => `^packages/${other}/`) },
}));

/**
 * Entry points of packages besides index.ts, for those who need a part without the whole (`exports` of package.json).
 */
const otherDoors = ['^packages/contract/src/core/operation\\.ts$', '^packages/sdk/src/(caller|follow)\\.ts$'];

export const importRules: IForbiddenRuleType[] = [
  ...packageOrder,
  ...roomOrder,
  ...featureOrder,
  ...plainFeatures,
  ...consoleImportRules,
  {
    name: 'engine-imports-nothing',
    comment: 'The engine is pure: no library, no node: module.',
    severity: 'error',
    from: { path: '^packages/engine/src/', pathNot: testFile },
    to: { pathNot: '^packages/engine/src/' },
  },
  {
    name: 'lab-imports-the-engine-only',
    comment: 'The lab is pure like the engine: no library, no node: module.',
    severity: 'error',
    from: { path: '^packages/lab/src/', pathNot: testFile },
    to: { pathNot: ['^packages/lab/src/', '^packages/engine/src/index\\.ts$'] },
  },
  {
    name: 'engine-plan-is-the-ground-floor',
    comment: "The engine's shared types import nothing above them, or every file of the engine is in one cycle.",
    severity: 'error',
    from: { path: '^packages/engine/src/plan/' },
    to: { path: '^packages/engine/', pathNot: '^packages/engine/src/plan/' },
  },
  {
    name: 'contract-imports-typebox-only',
    severity: 'error',
    from: { path: '^packages/contract/src/', pathNot: testFile },
    to: { pathNot: ['^packages/contract/src/', '(^|/)node_modules/typebox/'] },
  },
  {
    name: 'packs-and-sdk-have-no-library',
    comment: 'Packs are data, the SDK needs fetch only.',
    severity: 'error',
    from: { path: '^packages/(packs|sdk)/src/', pathNot: testFile },
    to: { pathNot: '^packages/' },
  },
  {
    name: 'packages-meet-at-the-door',
    comment: "A package is imported through its index.ts (or another entry of its package.json's exports).",
    severity: 'error',
    // The console has its own entry points (console-rules.ts).
    from: { path: '^packages/([^/]+)/', pathNot: [testFile, '^packages/console/'] },
    to: { path: '^packages/', pathNot: ['^packages/$1/', '^packages/[^/]+/src/index\\.ts$', ...otherDoors] },
  },
  {
    name: 'cli-starts-the-server-in-two-files',
    severity: 'error',
    from: { path: '^packages/cli/', pathNot: '^packages/cli/src/commands/operator/(serve|migrate)\\.ts$' },
    to: { path: '^packages/server/' },
  },
  {
    name: 'nothing-imports-main',
    comment: "Only tests, and the package's door, which the CLI's serve and migrate use.",
    severity: 'error',
    from: {
      path: '^packages/',
      pathNot: ['^packages/server/src/main/', '^packages/server/src/index\\.ts$', testFile],
    },
    to: { path: '^packages/server/src/main/' },
  },
  {
    name: 'server-does-not-use-its-own-door',
    severity: 'error',
    from: { path: '^packages/server/src/' },
    to: { path: '^packages/server/src/index\\.ts$' },
  },
  {
    name: 'features-meet-at-the-door',
    comment: 'A feature is imported through its index.ts only.',
    severity: 'error',
    from: { path: '^packages/server/src/features/([^/]+/[^/]+)/', pathNot: testFile },
    to: { path: features, pathNot: [`${features}$1/`, `${features}[^/]+/[^/]+/index\\.ts$`] },
  },
  {
    name: 'main-uses-feature-doors',
    severity: 'error',
    from: { path: '^packages/server/src/main/', pathNot: testFile },
    to: { path: features, pathNot: `${features}[^/]+/[^/]+/index\\.ts$` },
  },
  {
    name: 'jobs-own-the-queue',
    comment: 'Only jobs/ runs the worker; db/migrate.ts makes its tables.',
    severity: 'error',
    from: {
      path: '^packages/',
      pathNot: ['^packages/server/src/jobs/', '^packages/server/src/db/migrate\\.ts$', testFile],
    },
    to: { path: '(^|/)node_modules/graphile-worker/' },
  },
  {
    name: 'platform-owns-the-outside',
    comment: 'Clients to the outside: HTTP, mail, LLM, chat, cloud. One room guards them all.',
    severity: 'error',
    from: { path: '^packages/server/src/', pathNot: ['^packages/server/src/platform/', testFile] },
    to: {
      path: '(^|/)node_modules/(undici|nodemailer|@aws-sdk|@google-cloud|@azure|@anthropic-ai|openai|ioredis|ssh2|got|axios)/',
    },
  },
  {
    name: 'processes-are-started-in-db-and-main',
    comment: 'The embedded database is the only child process.',
    severity: 'error',
    from: { path: '^packages/server/src/', pathNot: ['^packages/server/src/(db|main)/', testFile] },
    to: { path: '^(node:)?child_process$' },
  },
  {
    name: 'threads-are-started-in-main',
    comment: 'Something that runs by itself must be known where the process is stopped (docs/adr/0040).',
    severity: 'error',
    from: { path: '^packages/', pathNot: ['^packages/server/src/main/', testFile] },
    to: { path: '^(node:)?worker_threads$' },
  },
  {
    name: 'no-unresolved',
    comment: 'An import the checker cannot follow is an import it cannot judge.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'declared-dependencies',
    comment: 'A package imports what its own package.json declares.',
    severity: 'error',
    from: { path: '^packages/', pathNot: [testFile, '^packages/console/'] },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
  },
  {
    name: 'tests-stay-tests',
    comment: 'Code does not import tests or test kits.',
    severity: 'error',
    from: { path: '^packages/', pathNot: testFile },
    to: { path: testFile, pathNot: 'node_modules' },
  },
  {
    name: 'packages-do-not-use-tools-or-suites',
    severity: 'error',
    from: { path: '^packages/', pathNot: testFile },
    to: { path: '^(tools|test)/' },
  },
];
