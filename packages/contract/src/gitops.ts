import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Int, Nullable, StringEnum, Timestamp } from './core/schemas.ts';

/** Policy as code (docs/design/api-settled.md 21 to 30): what a tenant configures, as files. */

/** One file: `offers/gold-card-1a2b3c4d.yaml`. */
export const PolicyFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1000, description: 'Path in the folder, with `/`.' }),
    content: Type.String({ description: 'Text of the file, YAML.' }),
  },
  { additionalProperties: false, description: 'A file.' },
);
export type PolicyFile = Static<typeof PolicyFile>;

const Files = Type.Array(PolicyFile, {
  maxItems: 200_000,
  description: 'All files of the folder. Files are taken together: what is not among them is not in the files.',
});

const Hash = Type.String({ description: 'Hex SHA-256 of the paths and contents, in canonical form.' });
const ConfigVersion = Type.Integer({ minimum: 0, description: "Version of the tenant's catalogue." });

/** A record by its key or name; below a parent the list of both. */
const Ref = Type.Union(
  [Type.String({ description: 'Key or name.' }), Type.Array(Type.String(), { description: 'Parent, child.' })],
  { description: 'Key, where the resource has one, else name; below a parent the list of parent and child.' },
);

/** What a plan does with an object. */
export const policyActions = ['create', 'update', 'delete', 'replace', 'await'] as const;
export type PolicyAction = (typeof policyActions)[number];

const PolicyField = Type.Object(
  {
    path: Type.String({ description: 'Dotted path of the value: `config.maxPerDay`.' }),
    before: Type.Optional(Type.Unknown({ description: 'Value before; missing where there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Value after; missing where there is none.' })),
  },
  { description: 'A value that changes.' },
);

const changeProperties = {
  action: StringEnum(policyActions, {
    description: 'replace: a column is made anew and loses its data; await: a second person has to approve.',
  }),
  type: Type.String({ description: 'Folder of the file: `offers`.' }),
  ref: Ref,
  path: Type.String({ description: 'The file.' }),
  fields: Type.Array(PolicyField, { description: 'Values that change, by path.' }),
};

/** One object that a plan changes. */
export const PolicyChange = Type.Object(changeProperties, { description: 'A change.' });
export type PolicyChange = Static<typeof PolicyChange>;

const NotInFiles = Type.Object(
  { type: changeProperties.type, ref: Ref, path: Type.String({ description: 'The file that it would have.' }) },
  { description: 'An object that only the tenant has.' },
);

const Summary = Type.Object(
  {
    create: Type.Integer({ description: 'Objects that are new.' }),
    update: Type.Integer({ description: 'Objects that change.' }),
    delete: Type.Integer({ description: 'Objects that go.' }),
    replace: Type.Integer({ description: 'Objects of which a part is made anew.' }),
    await: Type.Integer({ description: 'Objects that wait for a second person.' }),
    unchanged: Type.Integer({ description: 'Objects that are as the files say.' }),
  },
  { description: 'Numbers of objects.' },
);

/** What the files change, or have changed. */
export const PolicyPlan = Type.Object(
  {
    changes: Type.Array(PolicyChange, { description: 'In the order in which they are made.' }),
    notInFiles: Type.Array(NotInFiles, { description: 'Only the tenant has them; they stay without `prune`.' }),
    warnings: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: '`<file>#<JSON Pointer>`.' }),
          message: Type.String({ description: 'What to know.' }),
        },
        { description: 'A warning.' },
      ),
      { description: 'What is taken and may not be meant, at most 50.' },
    ),
    summary: Summary,
    configVersion: ConfigVersion,
    hash: Hash,
  },
  { description: 'What the files change.' },
);
export type PolicyPlan = Static<typeof PolicyPlan>;

/** The tenant as files. */
export const PolicyExport = Type.Object(
  { files: Files, configVersion: ConfigVersion, hash: Hash },
  { description: 'The tenant as files.' },
);
export type PolicyExport = Static<typeof PolicyExport>;

const DriftedChange = Type.Object(
  {
    ...changeProperties,
    by: Type.Array(
      Type.Object(
        {
          userId: Type.String({ description: 'Who, as the audit log says it.' }),
          userName: Type.String({ description: 'Name, as it was then.' }),
          action: Type.String({ description: 'Action of the audit log.' }),
          timestamp: Timestamp('When.'),
        },
        { description: 'A change since the last apply.' },
      ),
      { description: 'Who changed it since the last apply, oldest first, at most 20.' },
    ),
  },
  { description: 'An object that is not as it was applied: `before` as applied, `after` as it is.' },
);

/** How the tenant differs from what was applied last. */
export const PolicyDrift = Type.Object(
  {
    applied: Nullable(
      Type.Object(
        {
          at: Timestamp('When.'),
          userId: Type.String({ description: 'Who applied.' }),
          userName: Type.String({ description: 'Name, as it was then.' }),
          configVersion: ConfigVersion,
          hash: Hash,
        },
        { description: 'The last apply.' },
      ),
      { description: 'The last apply; null: none yet.' },
    ),
    changes: Type.Array(DriftedChange, { description: 'Objects that are not as they were applied.' }),
    configVersion: ConfigVersion,
  },
  { description: 'How the tenant differs from what was applied last.' },
);
export type PolicyDrift = Static<typeof PolicyDrift>;

const example = {
  files: [
    {
      path: 'categories/cards-3ad03ff1.yaml',
      content: 'name: Cards\n',
    },
  ],
};

const PlanBody = Type.Object(
  {
    files: Files,
    prune: Type.Optional(
      Type.Boolean({ default: false, description: 'Delete what is not in the files, in reverse order.' }),
    ),
    allowDataLoss: Type.Optional(
      Type.Boolean({ default: false, description: 'Columns may be dropped or made anew, tables dropped.' }),
    ),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 100_000 }), {
        description: 'Values of the secrets that the files name by `$secret`. A missing one keeps what is stored.',
      }),
    ),
    expectedConfigVersion: Type.Optional(
      Int(0, 2_147_483_647, 'Version that a plan was made for; another one is 409.'),
    ),
  },
  { description: 'The files and what may be done.', examples: [example] },
);
export type PolicyPlanBody = Static<typeof PlanBody>;

const common = { tag: 'Policy as code', auth: 'credential', loadClass: 'heavy', role: 'admin' } as const;
/** Bytes of the files of one call. */
const bodyLimit = 50 * 1024 * 1024;
const perTenant = [{ limit: 60, windowSeconds: 60, per: 'tenant', bucket: 'gitops' }] as const;

export const gitopsOperations = {
  export: operation({
    ...common,
    id: 'gitops.export',
    method: 'POST',
    path: '/api/v1/gitops/export',
    summary: 'Write the configuration of the tenant as files',
    description:
      'One file for each object, canonical YAML: equal configurations give equal bytes. Records are named by key or name.',
    body: Type.Object({}, { description: 'Nothing.', examples: [{}] }),
    responses: { 200: { description: 'The files, by path.', schema: PolicyExport } },
    errors: ['duplicate_name'],
    audit: [],
    rateLimits: perTenant,
    transaction: 'own',
  }),
  diff: operation({
    ...common,
    id: 'gitops.diff',
    method: 'POST',
    path: '/api/v1/gitops/diff',
    summary: 'Tell what files would change',
    description: 'All files are judged, at most 50 errors told; nothing is stored.',
    body: PlanBody,
    bodyLimit,
    responses: { 200: { description: 'What applying the files would do.', schema: PolicyPlan } },
    errors: ['concurrent_modification'],
    audit: [],
    rateLimits: perTenant,
    transaction: 'own',
  }),
  apply: operation({
    ...common,
    id: 'gitops.apply',
    method: 'POST',
    path: '/api/v1/gitops/apply',
    summary: 'Make the tenant as the files say',
    description:
      'One transaction: all of it or nothing. Each change obeys the rules of its own operation and leaves the same audit row.',
    body: PlanBody,
    bodyLimit,
    responses: { 200: { description: 'What was done.', schema: PolicyPlan } },
    errors: ['concurrent_modification'],
    changesCatalogue: true,
    audit: [{ action: 'apply', entityType: 'gitops' }],
    rateLimits: perTenant,
    transaction: 'own',
  }),
  drift: operation({
    ...common,
    id: 'gitops.drift',
    method: 'GET',
    path: '/api/v1/gitops/drift',
    summary: 'Tell what changed since files were applied',
    description: 'Compares the tenant with the files of its last apply; the audit log says who changed what.',
    responses: { 200: { description: 'What differs.', schema: PolicyDrift } },
    errors: [],
    audit: [],
    rateLimits: perTenant,
    transaction: 'own',
  }),
};
