import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, type PageLimits } from '../core/pages.ts';
import { CustomerId, Id, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';

export const campaignRunStatuses = ['pending', 'running', 'completed', 'completed_with_errors', 'failed'] as const;
export type CampaignRunStatus = (typeof campaignRunStatuses)[number];

export const campaignRunErrors = [
  'flow_not_published',
  'segment_unavailable',
  'file_not_writable',
  'too_many_failures',
  'cancelled',
  'quota_exceeded',
] as const;
export type CampaignRunError = (typeof campaignRunErrors)[number];

export const campaignTriggers = ['manual', 'schedule', 'inline'] as const;
export type CampaignTrigger = (typeof campaignTriggers)[number];

export const campaignResultStatuses = ['decided', 'empty', 'skipped', 'failed'] as const;
export type CampaignResultStatus = (typeof campaignResultStatuses)[number];

export const campaignSkipReasons = ['run_cap', 'customer_erased', 'quota_exceeded', 'cancelled'] as const;
export type CampaignSkipReason = (typeof campaignSkipReasons)[number];

/** Runs in the history of a campaign. */
export const campaignHistory = 50;
/** Results per page. */
export const campaignResultPage: PageLimits = { usual: 100, maximum: 500 };

const count = (description: string) => Type.Integer({ description });
const percent = Type.Number({ description: 'Share of totalRecommendations in percent, two decimals.' });

/** A run of a campaign. */
export const CampaignRun = Type.Object(
  {
    id: Id('ID of the run.'),
    campaignId: Id('Campaign.'),
    runNumber: count('Counts the runs of the campaign from 1, without gaps.'),
    triggeredBy: StringEnum(campaignTriggers, { description: 'What started it.' }),
    triggeredByUserId: Nullable(Type.String(), { description: 'ID of the user who started it, or null.' }),
    status: StringEnum(campaignRunStatuses, {
      description:
        'pending: waits for a worker. completed_with_errors: some deliveries or customers failed, or the playground quota ' +
        'ended it. failed: see `error`.',
    }),
    error: Nullable(
      Type.Object(
        {
          code: StringEnum(campaignRunErrors, { description: 'Kind of error.' }),
          message: Type.String({ description: 'What happened.' }),
        },
        { description: 'Why it ended early.' },
      ),
      { description: 'Why it ended early, or null.' },
    ),
    decisionFlowId: Id('Flow that decides.'),
    decisionFlowVersion: Nullable(Type.Integer(), { description: 'Version of the flow. Null until it starts.' }),
    segmentId: Id('Segment.'),
    createdAt: Timestamp('When it was created.'),
    startedAt: Nullable(Timestamp('Instant.'), { description: 'When it started, or null.' }),
    completedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended, or null.' }),
    durationMs: Nullable(Type.Integer(), { description: 'Milliseconds from start to end, or null.' }),
    totalCustomers: count('Members at the start.'),
    processedCustomers: count('Customers with a result: decided, empty or failed.'),
    customersWithRecommendations: count('Customers with at least one item.'),
    totalRecommendations: count('Items.'),
    avgOffersPerCustomer: Type.Number({ description: 'Items per processed customer.' }),
    skippedCustomers: count('Customers without a decision.'),
    skippedByCaps: count('Of those, because of a limit of the run.'),
    failedCustomers: count('Customers whose decision failed.'),
    deliveries: Type.Object(
      {
        queued: count('Waiting.'),
        sent: count('Handed over.'),
        failed: count('Failed.'),
        doubtful: count('Of those, possibly sent.'),
      },
      { description: 'Messages of the run.' },
    ),
    failedDeliveries: count('Same as deliveries.failed.'),
    offerBreakdown: Type.Array(
      Type.Object(
        {
          offerId: Id('Offer.'),
          offerName: Type.String({ description: 'Its name.' }),
          count: count('Items.'),
          percent,
        },
        { description: 'Items of an offer.' },
      ),
      { description: 'Items by offer, most first.' },
    ),
    channelBreakdown: Type.Array(
      Type.Object(
        {
          channelId: Id('Channel.'),
          channelName: Type.String({ description: 'Its name.' }),
          count: count('Items.'),
          percent,
        },
        { description: 'Items of a channel.' },
      ),
      { description: 'Items by channel, most first.' },
    ),
    volumeCapReached: Nullable(StringEnum(['total'], { description: 'Limit.' }), {
      description: '`total` if maxTotalPerRun ended the run.',
    }),
    fileUrl: Nullable(Type.String(), {
      description: 'Path of the file, or its place in the bucket; null until written.',
    }),
    progressPercent: Type.Number({ description: 'Share of the members with a result, 0 to 100.' }),
    etaSeconds: Nullable(Type.Integer(), { description: 'Estimated seconds to the end; null if unknown or ended.' }),
  },
  { description: 'A run of a campaign.' },
);
export type CampaignRun = Static<typeof CampaignRun>;

/** One customer of a run. */
export const CampaignResult = Type.Object(
  {
    customerId: CustomerId(),
    status: StringEnum(campaignResultStatuses, { description: 'empty: decided, without an item.' }),
    skipReason: Nullable(StringEnum(campaignSkipReasons, { description: 'Reason.' }), {
      description: 'Why there is no decision, or null.',
    }),
    requestId: Nullable(Id('Request.'), { description: 'Request ID of the decision, or null.' }),
    count: count('Items.'),
    decisions: Type.Array(
      Type.Object(
        {
          rank: count('Rank.'),
          offerId: Id('Offer.'),
          offerName: Type.String({ description: 'Its name at that time.' }),
          creativeId: Nullable(Id('Creative.'), { description: 'Creative, or null.' }),
          channelId: Nullable(Id('Channel.'), { description: 'Channel, or null.' }),
          score: Type.Number({ description: 'Score.' }),
          deliveryId: Nullable(Id('Delivery.'), { description: 'Its delivery, or null.' }),
          deliveryStatus: Nullable(Type.String(), { description: 'Status of the delivery, or null.' }),
        },
        { description: 'An item.' },
      ),
      { description: 'Items by rank.' },
    ),
    error: Nullable(Type.String(), { description: 'Code of the error, or null.' }),
    processedAt: Timestamp('When it was decided or skipped.'),
  },
  { description: 'Result for a customer.' },
);
export type CampaignResult = Static<typeof CampaignResult>;

const common = { tag: 'Campaigns', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const params = Type.Object({ id: IdText('ID of the campaign.') }, { description: 'The campaign.' });
const runParams = Type.Object(
  { id: IdText('ID of the campaign.'), runId: IdText('ID of the run.') },
  { description: 'The run.' },
);
const runPath = '/api/v1/runs/{id}/campaign-runs/{runId}';
const one = { description: 'The run.', schema: CampaignRun };

/** Runs of campaigns (docs/design/api-decisioning.md 14). */
export const campaignRunOperations = {
  start: operation({
    ...common,
    id: 'campaignRuns.start',
    method: 'POST',
    path: '/api/v1/runs/{id}/campaign-runs',
    summary: 'Start a campaign',
    description: 'The run waits until earlier runs of the campaign have ended.',
    role: 'editor',
    idempotent: true,
    params,
    responses: { 201: one },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'create', entityType: 'campaignRun' }],
  }),
  startInline: operation({
    ...common,
    id: 'campaignRuns.startInline',
    method: 'POST',
    path: '/api/v1/runs/execute-inline',
    summary: 'Start a campaign with another flow and segment',
    description: 'Returns immediately. Poll the campaign for the result.',
    role: 'editor',
    body: Type.Object(
      {
        runId: Id('Campaign.'),
        decisionFlowId: Id('Flow of this run.'),
        segmentViewName: Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'View name of the segment of this run.',
        }),
      },
      {
        description: 'What to run.',
        examples: [
          {
            runId: exampleId('campaign'),
            decisionFlowId: exampleId('decisionFlow'),
            segmentViewName: 'seg_gold_customers',
          },
        ],
      },
    ),
    responses: {
      200: {
        description: 'The run has been queued.',
        schema: Type.Object(
          {
            status: StringEnum(['executing'], { description: 'Always executing.' }),
            runId: Id('Campaign.'),
            campaignRunId: Id('Run.'),
          },
          { description: 'The run.' },
        ),
      },
    },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'create', entityType: 'campaignRun' }],
  }),
  list: operation({
    ...common,
    id: 'campaignRuns.list',
    method: 'GET',
    path: '/api/v1/runs/{id}/campaign-runs',
    summary: 'List the runs of a campaign, newest first',
    description: `At most ${campaignHistory}.`,
    role: 'viewer',
    params,
    responses: {
      200: {
        description: 'Runs.',
        schema: Type.Object(
          {
            runs: Type.Array(CampaignRun, { description: 'Runs, newest first.' }),
            total: Type.Integer({ description: 'Number of runs.' }),
          },
          { description: 'Runs of the campaign.' },
        ),
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
  get: operation({
    ...common,
    id: 'campaignRuns.get',
    method: 'GET',
    path: runPath,
    summary: 'Get a run of a campaign',
    role: 'viewer',
    params: runParams,
    responses: { 200: one },
    errors: ['not_found'],
    audit: [],
  }),
  cancel: operation({
    ...common,
    id: 'campaignRuns.cancel',
    method: 'POST',
    path: `${runPath}/cancel`,
    summary: 'Cancel a run of a campaign',
    description: 'Decisions made so far stay. The other customers are skipped.',
    role: 'editor',
    params: runParams,
    responses: { 200: one },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'update', entityType: 'campaignRun' }],
  }),
  results: operation({
    ...common,
    id: 'campaignRuns.results',
    method: 'GET',
    path: `${runPath}/results`,
    summary: 'List the results of a run, in its order of customers',
    role: 'viewer',
    params: runParams,
    query: Type.Object(
      {
        ...cursorQuery(campaignResultPage),
        status: Type.Optional(StringEnum(campaignResultStatuses, { description: 'Status to list.' })),
      },
      { description: 'Page and filter.' },
    ),
    responses: { 200: { description: 'A page of results.', schema: cursorPage(CampaignResult) } },
    errors: ['not_found', 'invalid_cursor'],
    audit: [],
  }),
  file: operation({
    ...common,
    id: 'campaignRuns.file',
    method: 'GET',
    path: `${runPath}/file`,
    summary: 'Download the file of a run',
    description: 'Returns 404 until the file is written, and for files in a bucket.',
    role: 'viewer',
    params: runParams,
    responses: {
      200: {
        description: 'The file.',
        schema: Binary(),
        kind: 'file',
        mediaTypes: ['text/csv; charset=utf-8', 'application/json', 'application/x-ndjson'],
      },
    },
    errors: ['not_found'],
    audit: [],
  }),
} as const;
