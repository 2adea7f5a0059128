import Type, { type Static } from 'typebox';
import { exampleId } from './core/examples.ts';
import { operation } from './core/operation.ts';
import { cataloguePage } from './core/pages.ts';
import { recordOperations } from './core/record-operations.ts';
import { type Draft, resource } from './core/resource.ts';
import { Id, Int, JsonObject, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from './core/schemas.ts';
import { offerStatuses } from './offers.ts';

const FlowStatus = StringEnum(offerStatuses, { description: 'Only active flows with a published version run.' });

export const Coupling = Nullable(StringEnum(['partial', 'atomic'], { description: 'Mode.' }), {
  description: "Beats the channel's coupling mode; null = the channel decides.",
});

export const DraftConfig = JsonObject(
  'Flow config v2: { version: 2, nodes: [{ id, type, config }], flowConfig }. flowConfig: defaultLimit (1-50), scoring (stands ' +
    'for a score node), explore { rate (0-0.2, default 0), poolSize (2-50, default 20), fromRank (1-50, default 1), channels ' +
    '(ids; empty = all) }: with chance `rate` a slot is drawn evenly from the best `poolSize` candidates left for it, whatever ' +
    'the rank method, so that the outcomes of offers that were not the best pick can be measured. Control groups and mandatory ' +
    'items are left alone; each item tells its chance in `selection.probability`. Values of `headers` and user and password of `url` ' +
    'of an extension point are write-only: they are answered as eight bullets, and bullets sent back keep what is stored for the ' +
    'same node and header, as long as scheme, host and port of the url stay.',
  { configs: 'nodes' },
);

export const FlowKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '\\S',
  description: 'Machine key that recommend names; unique among flows that are not deleted.',
});

/** One published version; it never changes. */
export const PublishedVersion = Type.Object(
  {
    version: Int(1, 2_147_483_647, 'Counts from 1 without gap.'),
    publishedAt: Timestamp('When it was published.'),
    notes: Nullable(Type.String(), { description: 'What the publisher wrote, or null.' }),
    configSnapshot: Nullable(JsonObject('The draft as it was published.'), {
      description: 'The draft as it was published. Null in lists.',
    }),
  },
  { description: 'A published version.' },
);
export type PublishedVersion = Static<typeof PublishedVersion>;

/** A decision flow (part 2, section 2). */
export const DecisionFlow = Type.Object(
  {
    id: Id('Flow.'),
    tenantId: Id('Tenant.'),
    key: FlowKey,
    name: Name('Name.'),
    description: Type.String({ description: 'Free text.' }),
    status: FlowStatus,
    autoAssembly: Type.Boolean({ description: 'Offer and creative changes may edit the draft.' }),
    isDefault: Type.Boolean({ description: 'Runs when neither key nor route names a flow. One flow per tenant.' }),
    isProtected: Type.Boolean({ description: 'Cannot be deleted. Set by publishing.' }),
    couplingOverride: Coupling,
    draftConfig: DraftConfig,
    publishedVersions: Type.Array(PublishedVersion, { description: 'Published versions, oldest first.' }),
    rowVersion: Type.Integer({ description: 'Starts at 1, rises with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was made.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A decision flow.' },
);
export type DecisionFlow = Static<typeof DecisionFlow>;

const settings = {
  description: Type.Optional(Type.String({ maxLength: 2000, description: 'Free text.' })),
  status: Type.Optional(FlowStatus),
  autoAssembly: Type.Optional(
    Type.Boolean({ description: 'Offer and creative changes may edit the draft. Default true.' }),
  ),
  isDefault: Type.Optional(Type.Boolean({ description: 'True takes the default away from every other flow.' })),
  couplingOverride: Type.Optional(Coupling),
  draftConfig: Type.Optional(DraftConfig),
};

/** A small flow that can be published as it is. */
export const exampleDraft = {
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', name: 'All offers', config: { scope: 'all' } },
    { id: 'creatives', type: 'match_creatives', name: 'With a message', config: { requireCreative: false } },
    { id: 'qualify', type: 'qualify', name: 'Who may get it', config: {} },
    { id: 'policy', type: 'contact_policy', name: 'Not too often', config: {} },
    { id: 'score', type: 'score', name: 'By priority', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', name: 'Best first', config: { method: 'topN', topN: 3 } },
    { id: 'response', type: 'response', name: 'Answer', config: { responseFormat: 'standard' } },
  ],
  flowConfig: { explore: { rate: 0.05 } },
};

/** Body of POST: key and name are required (part 2, 4.6). */
export const DecisionFlowCreate = Type.Object(
  { key: FlowKey, name: Name('Name.'), ...settings },
  {
    description: 'A new flow. The first flow of a tenant becomes its default.',
    examples: [{ key: 'next-best-offer', name: 'Next best offer', draftConfig: exampleDraft }],
  },
);
export type DecisionFlowCreate = Static<typeof DecisionFlowCreate>;

const changes = {
  name: Type.Optional(Name('Name.')),
  ...settings,
  isProtected: Type.Optional(Type.Boolean({ description: 'A protected flow cannot be deleted.' })),
};

/** What the flow check can find (docs/design/api-decisioning.md 7); `secret_missing` and `not_available`: docs/adr/0029. */
export const flowProblemCodes = [
  'version_not_2',
  'nodes_not_array',
  'node_shape',
  'unknown_node_type',
  'too_large',
  'too_few_nodes',
  'duplicate_id',
  'missing_inventory',
  'inventory_not_first',
  'duplicate_node',
  'phase_order',
  'score_order',
  'response_not_last',
  'hook_position',
  'skip_target',
  'invalid_config',
  'formula_syntax',
  'formula_unknown_name',
  'formula_limit',
  'unknown_reference',
  'cycle_in_call_flow',
  'call_depth',
  'strategy_needs_propensity',
  'bandit_needs_propensity',
  'not_available',
  'empty_scope',
  'sub_flow_unpublished',
  'model_not_usable',
  'secret_missing',
  'scoring_not_configured',
  'unknown_key',
] as const;

export type FlowProblemCode = (typeof flowProblemCodes)[number];

/** One finding of the flow check (docs/design/api-decisioning.md 7). */
export const FlowProblem = Type.Object(
  {
    path: Type.String({ description: 'JSON Pointer into draftConfig.' }),
    nodeId: Nullable(Type.String(), { description: 'Node it is about, or null.' }),
    code: StringEnum(flowProblemCodes, {
      description:
        'What kind of finding. not_available: sound, and not to be run by this version. secret_missing: bullets without a stored ' +
        'value. sub_flow_unpublished: a called flow is not active or was never published. too_large: also when a flow has more ' +
        'than 2,000 nodes with those of the flows that it calls. unknown_key, bandit_needs_propensity: only among the warnings.',
    }),
    message: Type.String({ description: 'What is wrong.' }),
  },
  { description: 'A finding.' },
);

const FlowCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'True when there is no error.' }),
    errors: Type.Array(FlowProblem, { description: 'What keeps the draft from being saved or published.' }),
    warnings: Type.Array(FlowProblem, { description: 'What has no effect.' }),
  },
  { description: 'Outcome of a check.' },
);

const FlowVersions = Type.Object(
  {
    flowId: Id('Flow.'),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Integer({ description: 'Number of the version.' }),
          publishedAt: Timestamp('When it was published.'),
          publishedBy: Type.String({ description: 'Who published it.' }),
          notes: Nullable(Type.String(), { description: 'What the publisher wrote, or null.' }),
          summary: Type.Object(
            {
              nodeCount: Type.Integer({ description: 'Number of nodes.' }),
              scoringMethod: Nullable(Type.String(), { description: 'Method of the score node, or null.' }),
            },
            { description: 'What the version holds.' },
          ),
          configSnapshot: Type.Optional(JsonObject('The config; only of the version asked for.')),
        },
        { description: 'A version.' },
      ),
      { description: 'Newest first.' },
    ),
  },
  { description: 'Versions of a flow.' },
);

const DeletedFlow = {
  description: 'Deleted.',
  schema: Type.Object(
    {
      success: Type.Literal(true, { description: 'Always true.' }),
      cascaded: Type.Integer({ description: 'Flow routes that went with it.' }),
    },
    { description: 'What was deleted.' },
  ),
};

const EnsuredBase = (created: boolean) =>
  Type.Object(
    {
      flowId: Id('The base flow.'),
      created: Type.Literal(created, { description: 'True when this call made it.' }),
    },
    { description: 'The base flow.' },
  );

const common = { tag: 'Decision flows', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;

/** A flow config that runs: everything of one category, by priority. */
export function draftFlowConfig(categoryId: string): Record<string, unknown> {
  return {
    version: 2,
    nodes: [
      { id: 'inventory', type: 'inventory', config: { scope: 'category', categoryIds: [categoryId] } },
      { id: 'creatives', type: 'match_creatives', config: {} },
      { id: 'qualify', type: 'qualify', config: {} },
      { id: 'policy', type: 'contact_policy', config: {} },
      { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
      { id: 'rank', type: 'rank', config: { method: 'topN', topN: 3 } },
      { id: 'response', type: 'response', config: {} },
    ],
    flowConfig: {},
  };
}

const decisionFlowDraft: Draft<DecisionFlowCreate> = ({ name, marker, id }) => ({
  key: name('flow'),
  name: name('Flow'),
  description: `Flow of ${marker}`,
  status: 'active',
  autoAssembly: false,
  couplingOverride: 'partial',
  draftConfig: draftFlowConfig(id('category')),
});

/** Decision flows, described once. */
export const decisionFlowResource = resource({
  entityType: 'decisionFlow',
  name: 'decisionFlows',
  path: 'decision-flows',
  tag: 'Decision flows',
  noun: 'decision flow',
  nouns: 'decision flows',
  writeRole: 'editor',
  softDelete: true,
  readsDeleted: true,
  ownVersions: true,
  record: DecisionFlow,
  create: DecisionFlowCreate,
  draft: decisionFlowDraft,
  changes,
  fixed: { key: Type.String({ description: sentAsItIs }) },
  page: cataloguePage,
  order: {
    text: 'status, then last update, newest first',
    keys: [
      { property: 'status', direction: 'asc' },
      { property: 'updatedAt', direction: 'desc' },
    ],
    ids: 'desc',
  },
  search: ['name', 'key'],
  filters: { status: Type.Optional(FlowStatus) },
  queries: {},
  unique: { key: 'duplicate_key' },
  references: {},
  files: { idsInside: ['draft', 'published'] },
  removal: { 200: DeletedFlow },
  errors: {
    create: ['not_configured'],
    update: ['pipeline_invalid', 'not_configured'],
    delete: ['protected'],
  },
});

const records = recordOperations(decisionFlowResource);

export const decisionFlowOperations = {
  ...records,
  create: operation({ ...records.create, rateLimits: [{ limit: 500, windowSeconds: 60, per: 'tenant' }] }),
  publish: operation({
    ...common,
    id: 'decisionFlows.publish',
    method: 'POST',
    path: '/api/v1/decision-flows/publish',
    summary: 'Publish the draft as the next version',
    description: 'Sets status active and protects the flow. A call that loses a race with another change is 409.',
    role: 'editor',
    body: Type.Object(
      {
        id: Id('The flow to publish.'),
        notes: Type.Optional(Nullable(Type.String({ maxLength: 2000 }), { description: 'What changed.' })),
        rowVersion: Type.Optional(Type.Integer({ description: 'Expected rowVersion; another one is 409.' })),
      },
      { description: 'What to publish.', examples: [{ id: exampleId('decisionFlow'), notes: 'First version' }] },
    ),
    responses: { 200: { description: 'The flow.', schema: DecisionFlow } },
    errors: [
      'validation_failed',
      'not_found',
      'row_version_conflict',
      'concurrent_modification',
      'pipeline_invalid',
      'scoring_not_configured',
    ],
    changesCatalogue: true,
    audit: [{ action: 'publish', entityType: 'decisionFlow' }],
  }),
  validate: operation({
    ...common,
    id: 'decisionFlows.validate',
    method: 'POST',
    path: '/api/v1/decision-flows/validate',
    summary: 'Check a draft as publishing would; stores nothing',
    role: 'viewer',
    body: Type.Object(
      {
        id: Type.Optional(Id('Flow the draft belongs to.')),
        draftConfig: DraftConfig,
      },
      { description: 'The draft.', examples: [{ draftConfig: exampleDraft }] },
    ),
    responses: { 200: { description: 'The findings.', schema: FlowCheck } },
    errors: ['validation_failed', 'not_found'],
    audit: [],
  }),
  versions: operation({
    ...common,
    id: 'decisionFlows.versions',
    method: 'GET',
    path: '/api/v1/decision-flows/versions',
    summary: 'List the published versions of a flow, newest first',
    role: 'viewer',
    query: Type.Object(
      {
        id: Type.String({ description: 'Flow.' }),
        version: Type.Optional(
          Int(1, 2_147_483_647, 'The version that is shown with its configSnapshot; 404 when there is none.'),
        ),
      },
      { description: 'Which versions.' },
    ),
    responses: { 200: { description: 'The versions.', schema: FlowVersions } },
    errors: ['not_found'],
    audit: [],
  }),
  ensureBase: operation({
    ...common,
    id: 'decisionFlows.ensureBase',
    method: 'POST',
    path: '/api/v1/decision-flows/ensure-base',
    summary: 'Find or make the base flow',
    description: 'The flow with key "base", published as version 1; the default when the tenant has none.',
    role: 'editor',
    responses: {
      200: { description: 'It was there.', schema: EnsuredBase(false) },
      201: { description: 'It was made.', schema: EnsuredBase(true) },
    },
    errors: [],
    changesCatalogue: true,
    audit: [{ action: 'create', entityType: 'decisionFlow' }],
  }),
};

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type DecisionFlowUpdate = Static<typeof decisionFlowOperations.update.body>;
