import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Int, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

/** Policy as code (docs/design/api-settled.md 21 to 30): what a tenant configures, as files. */

/** One file: `offers/gold-card-1a2b3c4d.yaml`. */
export const PolicyFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1000, description: 'Path in the folder, separated by `/`.' }),
    content: Type.String({ description: 'Content of the file, YAML.' }),
  },
  { additionalProperties: false, description: 'A file.' },
);
export type PolicyFile = Static<typeof PolicyFile>;

const Files = Type.Array(PolicyFile, {
  maxItems: 200_000,
  description: 'All files of the folder, taken as a whole: an object that appears in none of them counts as missing.',
});

const Hash = Type.String({ description: 'SHA-256 of the paths and contents in canonical form, in hex.' });
const ConfigVersion = Type.Integer({ minimum: 0, description: "Version of the tenant's catalogue." });

/** A record by its key or name; below a parent the list of both. */
const Ref = Type.Union(
  [Type.String({ description: 'Key or name.' }), Type.Array(Type.String(), { description: 'Parent and child.' })],
  { description: 'Key if the resource has one, otherwise name. For child objects, a list of parent and child.' },
);

/** What a plan does with an object. */
export const policyActions = ['create', 'update', 'delete', 'replace', 'await'] as const;
export type PolicyAction = (typeof policyActions)[number];

const PolicyField = Type.Object(
  {
    path: Type.String({ description: 'Dotted path of the value: `config.maxPerDay`.' }),
    before: Type.Optional(Type.Unknown({ description: 'Value before; absent if there was none.' })),
    after: Type.Optional(Type.Unknown({ description: 'Value after; absent if it is removed.' })),
  },
  { description: 'One changed value.' },
);

const changeProperties = {
  action: StringEnum(policyActions, {
    description: 'replace: a column is recreated and loses its data. await: a second person must approve.',
  }),
  type: Type.String({ description: 'Folder of the file: `offers`.' }),
  ref: Ref,
  path: Type.String({ description: 'The file.' }),
  fields: Type.Array(PolicyField, { description: 'Changed values, by path.' }),
};

/** One object that a plan changes. */
export const PolicyChange = Type.Object(changeProperties, { description: 'A change.' });
export type PolicyChange = Static<typeof PolicyChange>;

const NotInFiles = Type.Object(
  { type: changeProperties.type, ref: Ref, path: Type.String({ description: 'File the object would be written to.' }) },
  { description: 'An object that exists only in the tenant.' },
);

const Summary = Type.Object(
  {
    create: Type.Integer({ description: 'Objects to create.' }),
    update: Type.Integer({ description: 'Objects to change.' }),
    delete: Type.Integer({ description: 'Objects to delete.' }),
    replace: Type.Integer({ description: 'Objects of which a part is recreated.' }),
    await: Type.Integer({ description: 'Objects that need approval by a second person.' }),
    unchanged: Type.Integer({ description: 'Objects that already match the files.' }),
  },
  { description: 'Object counts.' },
);

/** The changes that files make, or have made. */
export const PolicyPlan = Type.Object(
  {
    changes: Type.Array(PolicyChange, { description: 'Changes in the order they are made.' }),
    notInFiles: Type.Array(NotInFiles, {
      description: 'Objects that exist only in the tenant. They stay without `prune`.',
    }),
    warnings: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: '`<file>#<JSON Pointer>`.' }),
          message: Type.String({ description: 'The warning.' }),
        },
        { description: 'A warning.' },
      ),
      { description: 'Accepted input that may not be what you meant, at most 50 entries.' },
    ),
    summary: Summary,
    configVersion: ConfigVersion,
    hash: Hash,
  },
  { description: 'Changes the files would make.' },
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
          userId: Type.String({ description: 'Actor, as in the audit log.' }),
          userName: Type.String({ description: 'Name at that time.' }),
          action: Type.String({ description: 'Action in the audit log.' }),
          timestamp: Timestamp('When it happened.'),
        },
        { description: 'A change since the last apply.' },
      ),
      { description: 'Changes since the last apply, oldest first, at most 20.' },
    ),
  },
  { description: 'An object that differs from what was applied: `before` as applied, `after` as it is now.' },
);

/** The differences between the tenant and what was last applied. */
export const PolicyDrift = Type.Object(
  {
    applied: Nullable(
      Type.Object(
        {
          at: Timestamp('When it happened.'),
          userId: Type.String({ description: 'Actor who applied the files.' }),
          userName: Type.String({ description: 'Name at that time.' }),
          configVersion: ConfigVersion,
          hash: Hash,
        },
        { description: 'The last apply.' },
      ),
      { description: 'The last apply; null if there was none.' },
    ),
    changes: Type.Array(DriftedChange, { description: 'Objects that differ from what was applied.' }),
    configVersion: ConfigVersion,
  },
  { description: 'Differences between the tenant and the last apply.' },
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
      Type.Boolean({ default: false, description: "Delete objects that the files don't contain, in reverse order." }),
    ),
    allowDataLoss: Type.Optional(
      Type.Boolean({ default: false, description: 'Allow dropping or recreating columns, and dropping tables.' }),
    ),
    secrets: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 100_000 }), {
        description:
          'Values of the secrets that the files reference with `$secret`. Secrets left out keep their stored value.',
      }),
    ),
    expectedConfigVersion: Type.Optional(
      Int(0, 2_147_483_647, 'Catalogue version the plan was made for. Returns 409 if it has changed.'),
    ),
  },
  { description: 'The files and what is allowed.', examples: [example] },
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
    summary: "Export the tenant's configuration as files",
    description:
      'One file per object in canonical YAML: equal configurations produce equal bytes. References use keys or names.',
    body: Type.Object({}, { description: 'An empty body.', examples: [{}] }),
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
    summary: 'Plan what files would change',
    description: 'Checks all files and reports at most 50 errors. Stores nothing.',
    body: PlanBody,
    bodyLimit,
    responses: { 200: { description: 'Changes that applying the files would make.', schema: PolicyPlan } },
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
    summary: 'Apply files to the tenant',
    description:
      'All changes are made in one transaction, or none. Each change follows the rules of its own operation and writes the same audit row.',
    body: PlanBody,
    bodyLimit,
    responses: { 200: { description: 'Changes that were made.', schema: PolicyPlan } },
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
    summary: 'Report changes since files were last applied',
    description: 'Compares the tenant with the last applied files. The audit log provides who changed what.',
    responses: { 200: { description: 'Differences from the last apply.', schema: PolicyDrift } },
    errors: [],
    audit: [],
    rateLimits: perTenant,
    transaction: 'own',
  }),
};
