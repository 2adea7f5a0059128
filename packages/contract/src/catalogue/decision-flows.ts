import Type, { type Static } from 'typebox';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { cataloguePage } from '../core/pages.ts';
import { recordOperations } from '../core/record-operations.ts';
import { type Draft, resource } from '../core/resource.ts';
import { Id, Int, JsonObject, Name, Nullable, StringEnum, sentAsItIs, Timestamp } from '../core/schemas.ts';
import { withWarnings } from '../core/warnings.ts';
import { PolicyFinding } from '../deciding/policy-findings.ts';
import { offerStatuses } from './offers.ts';

const FlowStatus = StringEnum(offerStatuses, { description: 'Only active flows with a published version run.' });

export const Coupling = Nullable(StringEnum(['partial', 'atomic'], { description: 'Mode.' }), {
  description: "Overrides the channel's coupling mode. Null uses the channel's.",
});

export const DraftConfig = JsonObject(
  'Flow config v2: { version: 2, nodes: [{ id, type, config }], flowConfig }. flowConfig: defaultLimit ' +
    '(1-50), scoring (used if there is no score node), explore { rate (0-0.2, default 0), poolSize ' +
    '(2-50, default 20), fromRank (1-50, default 1), channels (ids; empty = all) }. With probability ' +
    '`rate`, a slot is filled with a uniform draw from the best `poolSize` remaining candidates, ' +
    'whatever the rank method, so that outcomes of offers other than the best pick can be measured. ' +
    'Control groups and mandatory items are not affected. Each item has its probability in ' +
    '`selection.probability`. The values of `headers`, and user and password in the `url` of an ' +
    'extension point, are write-only: they are returned as eight bullets. Bullets sent back keep the ' +
    'stored value of the same node and header, as long as scheme, host and port of the url stay the same.',
  { configs: 'nodes' },
);

export const FlowKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '\\S',
  description: 'Key used in recommend requests. Unique among flows that are not deleted.',
});

/** One published version; it never changes. */
export const PublishedVersion = Type.Object(
  {
    version: Int(1, 2_147_483_647, 'Counts from 1 without gaps.'),
    publishedAt: Timestamp('When it was published.'),
    notes: Nullable(Type.String(), { description: 'Note by the publisher, or null.' }),
    configSnapshot: Nullable(JsonObject('The draft at the time of publishing.'), {
      description: 'The draft at the time of publishing. Null in lists.',
    }),
  },
  { description: 'A published version.' },
);
export type PublishedVersion = Static<typeof PublishedVersion>;

/** A decision flow. */
export const DecisionFlow = Type.Object(
  {
    id: Id('Flow.'),
    tenantId: Id('Tenant.'),
    key: FlowKey,
    name: Name('Name.'),
    description: Type.String({ description: 'Free text.' }),
    status: FlowStatus,
    autoAssembly: Type.Boolean({ description: 'Whether offer and creative changes may edit the draft.' }),
    isDefault: Type.Boolean({ description: 'Runs if neither key nor route selects a flow. One flow per tenant.' }),
    isProtected: Type.Boolean({ description: "The flow can't be deleted. Set by publishing." }),
    couplingOverride: Coupling,
    draftConfig: DraftConfig,
    publishedVersions: Type.Array(PublishedVersion, { description: 'Published versions, oldest first.' }),
    rowVersion: Type.Integer({ description: 'Starts at 1 and increases with every change.' }),
    deletedAt: Nullable(Timestamp('Instant.'), { description: 'When it was deleted, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A decision flow.' },
);
export type DecisionFlow = Static<typeof DecisionFlow>;

const settings = {
  description: Type.Optional(Type.String({ maxLength: 2000, description: 'Free text.' })),
  status: Type.Optional(FlowStatus),
  autoAssembly: Type.Optional(
    Type.Boolean({ description: 'Whether offer and creative changes may edit the draft. Default true.' }),
  ),
  isDefault: Type.Optional(
    Type.Boolean({ description: 'True: makes this flow the default instead of the current one.' }),
  ),
  couplingOverride: Type.Optional(Coupling),
  draftConfig: Type.Optional(DraftConfig),
};

/** The config of the base flow: every offer that fits, by priority and value, with variety (docs/design/api-decisioning.md 6). */
export const baseFlowConfig = {
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', config: {} },
    { id: 'creatives', type: 'match_creatives', config: { requireCreative: false } },
    { id: 'qualify', type: 'qualify', config: {} },
    { id: 'policy', type: 'contact_policy', config: {} },
    { id: 'score', type: 'score', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', config: { method: 'diversity' } },
    { id: 'response', type: 'response', config: {} },
  ],
  flowConfig: {},
};

/** A small flow that can be published as it is. */
export const exampleDraft = {
  version: 2,
  nodes: [
    { id: 'inventory', type: 'inventory', name: 'All offers', config: { scope: 'all' } },
    { id: 'creatives', type: 'match_creatives', name: 'Match creatives', config: { requireCreative: false } },
    { id: 'qualify', type: 'qualify', name: 'Check eligibility', config: {} },
    { id: 'policy', type: 'contact_policy', name: 'Apply contact policies', config: {} },
    { id: 'score', type: 'score', name: 'By priority', config: { method: 'priority_weighted' } },
    { id: 'rank', type: 'rank', name: 'Top three', config: { method: 'topN', topN: 3 } },
    { id: 'response', type: 'response', name: 'Response', config: { responseFormat: 'standard' } },
  ],
  flowConfig: { explore: { rate: 0.05 } },
};

/** Body of POST: key and name are required. */
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
  isProtected: Type.Optional(Type.Boolean({ description: "A protected flow can't be deleted." })),
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
    nodeId: Nullable(Type.String(), { description: 'ID of the node that has the problem, or null.' }),
    code: StringEnum(flowProblemCodes, {
      description:
        'Code of the problem. not_available: valid, but not supported in this version. secret_missing: a ' +
        'masked value has no stored value. sub_flow_unpublished: a called flow is inactive or was never ' +
        'published. too_large: also if a flow has more than 2,000 nodes including those of the flows it ' +
        'calls. unknown_key and bandit_needs_propensity are warnings only.',
    }),
    message: Type.String({ description: 'What is wrong.' }),
  },
  { description: 'A finding.' },
);

const FlowCheck = Type.Object(
  {
    valid: Type.Boolean({ description: 'True if there are no errors.' }),
    errors: Type.Array(FlowProblem, { description: 'Problems that prevent saving or publishing the draft.' }),
    warnings: Type.Array(FlowProblem, { description: 'Settings that have no effect.' }),
    findings: Nullable(
      Type.Array(PolicyFinding, { description: 'Offers that can never be shown, and conditions that have no effect.' }),
      {
        description:
          'What `POST /policy-conflicts/analyze` finds with this draft, at most 100. Null for a draft with errors, and when the check takes longer than 2 seconds.',
      },
    ),
  },
  { description: 'Result of the check.' },
);

const FlowVersions = Type.Object(
  {
    flowId: Id('Flow.'),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Integer({ description: 'Version number.' }),
          publishedAt: Timestamp('When it was published.'),
          publishedBy: Type.String({ description: 'Who published it.' }),
          notes: Nullable(Type.String(), { description: 'Note by the publisher, or null.' }),
          summary: Type.Object(
            {
              nodeCount: Type.Integer({ description: 'Number of nodes.' }),
              scoringMethod: Nullable(Type.String(), { description: 'Method of the score node, or null.' }),
            },
            { description: 'Contents of the version.' },
          ),
          configSnapshot: Type.Optional(JsonObject('Config of the version. Returned for the requested version only.')),
        },
        { description: 'A version.' },
      ),
      { description: 'Versions, newest first.' },
    ),
  },
  { description: 'Versions of a flow.' },
);

const DeletedFlow = {
  description: 'Deleted.',
  schema: Type.Object(
    {
      success: Type.Literal(true, { description: 'Always true.' }),
      cascaded: Type.Integer({ description: 'Flow routes that were deleted with it.' }),
    },
    { description: 'What was deleted.' },
  ),
};

const EnsuredBase = (created: boolean) =>
  Type.Object(
    {
      flowId: Id('The base flow.'),
      created: Type.Literal(created, { description: 'True if this call created it.' }),
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
  searchOrder: 40,
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
    description: 'Sets the status to active and protects the flow. Returns 409 if another change got in first.',
    role: 'editor',
    body: Type.Object(
      {
        id: Id('The flow to publish.'),
        notes: Type.Optional(Nullable(Type.String({ maxLength: 2000 }), { description: 'Description of the change.' })),
        rowVersion: Type.Optional(
          Type.Integer({ description: 'Expected rowVersion. Returns 409 if it is different.' }),
        ),
      },
      { description: 'Publishing options.', examples: [{ id: exampleId('decisionFlow'), notes: 'First version' }] },
    ),
    responses: { 200: { description: 'The flow.', schema: withWarnings(DecisionFlow, 'PublishedFlow') } },
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
    summary: 'Validate a draft as for publishing, without storing anything',
    role: 'viewer',
    body: Type.Object(
      {
        id: Type.Optional(Id('Flow the draft belongs to.')),
        draftConfig: DraftConfig,
      },
      { description: 'The draft.', examples: [{ draftConfig: exampleDraft }] },
    ),
    responses: { 200: { description: 'Result of the validation.', schema: FlowCheck } },
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
          Int(1, 2_147_483_647, 'Version to return with its configSnapshot. Returns 404 if it does not exist.'),
        ),
      },
      { description: 'Flow and version to read.' },
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
    summary: 'Get or create the base flow',
    description:
      'Returns the flow with key "base", published as version 1. If the tenant has no default flow, it becomes the default.',
    role: 'editor',
    responses: {
      200: { description: 'The flow already existed.', schema: EnsuredBase(false) },
      201: { description: 'The flow was created.', schema: EnsuredBase(true) },
    },
    errors: [],
    changesCatalogue: true,
    audit: [{ action: 'create', entityType: 'decisionFlow' }],
  }),
};

/** Body of PUT on the collection: `id`, the fields that change, and the precondition `rowVersion`. */
export type DecisionFlowUpdate = Static<typeof decisionFlowOperations.update.body>;
