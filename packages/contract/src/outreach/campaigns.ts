import Type, { type Static } from 'typebox';
import { FileConfig } from '../catalogue/provider-configs.ts';
import { exampleId } from '../core/examples.ts';
import { operation } from '../core/operation.ts';
import { offsetQuery, type PageLimits } from '../core/pages.ts';
import { Id, IdText, Int, Name, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { CampaignResult, CampaignRun, campaignRunStatuses } from './campaign-runs.ts';

export const campaignStatuses = ['draft', 'active', 'paused', 'archived'] as const;
export const campaignSchedules = ['manual', 'daily', 'weekly', 'monthly'] as const;
export const deliveryGuarantees = ['at_most_once', 'at_least_once'] as const;

/** Campaigns per page. */
export const campaignPage: PageLimits = { usual: 50, maximum: 200 };
/** Runs that a campaign shows. */
export const campaignRunsShown = 10;
/** Results that a campaign shows of its newest run. */
export const campaignResultsShown = 100;

const cap = (description: string) => Type.Optional(Nullable(Int(0, 1_000_000_000, 'Items.'), { description }));

export const CampaignCaps = Type.Object(
  {
    maxTotalPerRun: cap(
      'Items per run. Reaching it ends the run; the rest of the customers are skipped. Null: no limit.',
    ),
    maxPerOffer: cap('Items per offer and run. The offer is left out from then on. Null: no limit.'),
    maxPerChannel: cap('Items per channel and run. The channel is left out from then on. Null: no limit.'),
  },
  { description: 'Limits of each run. Never exceeded.' },
);
export type CampaignCaps = Static<typeof CampaignCaps>;

const Status = StringEnum(campaignStatuses, {
  description:
    'Only active campaigns run on their schedule. Draft and paused ones can be started by hand, archived ones not at ' +
    'all. A run in progress continues in any status.',
});

const CampaignFile = Type.Object(FileConfig.properties, {
  description: "File that each run writes. What you leave out comes from the channel's settings. Default csv.",
});

const writable = {
  name: Name('Name. Defaults to the names of the flow and the segment.'),
  description: Type.String({ maxLength: 2000, description: 'What the campaign is for.' }),
  status: Status,
  decisionFlowId: Id('Flow that decides. Each run keeps the version published when it starts.'),
  segmentId: Id('Segment whose members get the campaign. Each run keeps the members at its start.'),
  scheduleType: StringEnum(campaignSchedules, { description: 'How often it runs. manual: only when started.' }),
  scheduleDayOfWeek: Nullable(Int(0, 6, 'Day.'), {
    description: 'Day of weekly runs, from 0 for Sunday to 6. Null means 1, Monday.',
  }),
  scheduleDayOfMonth: Nullable(
    Type.Union(
      [
        Int(1, 28, 'Day of the month.'),
        Type.String({ pattern: '^([1-9]|1[0-9]|2[0-8]|last_working_day)$', description: 'The same as text.' }),
      ],
      { description: 'Day.' },
    ),
    {
      description:
        'Day of monthly runs: 1 to 28, or last_working_day, the last Monday to Friday of the month. Stored as text. ' +
        'Null means 1.',
    },
  ),
  scheduleTime: Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description: 'Local time of scheduled runs as HH:mm. Default 09:00.',
    examples: ['09:00'],
  }),
  scheduleTimezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA time zone of the schedule. Default UTC.',
    examples: ['Europe/Paris'],
  }),
  scheduleCron: Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
    description: 'Cron expression with five fields. Takes precedence over the other schedule properties.',
  }),
  frequencyCaps: Nullable(CampaignCaps, { description: 'Limits of each run, or null.' }),
  fileConfig: Nullable(CampaignFile, { description: 'File that each run writes, or null for the defaults.' }),
  channelIds: Type.Array(Id('A channel.'), {
    maxItems: 100,
    uniqueItems: true,
    description:
      'Channels to use. Empty: all active channels that deliver files, call lists or messages, or all active channels ' +
      'if there are none.',
  }),
  deliveryGuarantee: StringEnum(deliveryGuarantees, {
    description:
      'What to do when a provider without idempotency keys times out. at_most_once: the delivery fails with `doubtful`. ' +
      'at_least_once: it is sent again.',
  }),
};

const LatestRun = Type.Object(
  {
    id: Id('ID of the run.'),
    status: StringEnum(campaignRunStatuses, { description: 'Status of the run.' }),
    runNumber: Type.Integer({ description: 'Number of the run.' }),
  },
  { description: 'The newest run.' },
);

export const Campaign = Type.Object(
  {
    id: Id('ID of the campaign.'),
    tenantId: Id('Tenant.'),
    ...writable,
    scheduleDayOfMonth: Nullable(Type.String(), { description: 'Day of monthly runs as text, or null.' }),
    nextRunAt: Nullable(Timestamp('Instant.'), {
      description: 'Next scheduled run. Null if it is not active or runs only when started.',
    }),
    lastSkip: Nullable(
      Type.Object(
        {
          at: Timestamp('When it was due.'),
          reason: StringEnum(['run_in_progress'], { description: 'A run was pending or running.' }),
        },
        { description: 'A scheduled run that was skipped.' },
      ),
      { description: 'The last scheduled run that was skipped, or null.' },
    ),
    decisionFlowName: Nullable(Type.String(), { description: 'Name of the flow; null if it was deleted.' }),
    segmentName: Nullable(Type.String(), { description: 'Name of the segment; null if it was deleted.' }),
    segmentCustomerCount: Nullable(Type.Integer(), { description: 'Members at the last count of the segment.' }),
    runCount: Type.Integer({ description: 'Number of runs.' }),
    lastRunAt: Nullable(Timestamp('Instant.'), { description: 'When the newest run started, or null.' }),
    latestRun: Nullable(LatestRun, { description: 'The newest run, or null.' }),
    createdAt: Timestamp('When it was created.'),
    updatedAt: Timestamp('When it last changed.'),
  },
  { description: 'A campaign runs a decision flow for every member of a segment.' },
);
export type Campaign = Static<typeof Campaign>;

const changes = Type.Partial(Type.Object(writable)).properties;
const example = {
  name: 'Spring renewals',
  decisionFlowId: exampleId('decisionFlow'),
  segmentId: exampleId('segment'),
  scheduleType: 'weekly',
};

export const CampaignCreate = Type.Object(
  { ...changes, decisionFlowId: writable.decisionFlowId, segmentId: writable.segmentId },
  {
    description: 'A new campaign. Defaults: draft, manual, 09:00 UTC, all channels, at_most_once. Starts no run.',
    examples: [example],
  },
);
export type CampaignCreate = Static<typeof CampaignCreate>;

export const CampaignChange = Type.Object(changes, {
  description: 'Changes to a campaign. A changed schedule counts from now. Runs in progress are not affected.',
  examples: [{ status: 'active' }],
});
export type CampaignChange = Static<typeof CampaignChange>;

export const CampaignDetail = Type.Object(
  {
    ...Campaign.properties,
    runs: Type.Array(CampaignRun, { description: `The last ${campaignRunsShown} runs, newest first.` }),
    offers: Type.Record(Type.String(), Type.String(), { description: 'Names of the offers in `results`, by ID.' }),
    results: Type.Array(CampaignResult, {
      description: `The first ${campaignResultsShown} results of the newest run.`,
    }),
  },
  { description: 'A campaign with its newest runs.' },
);
export type CampaignDetail = Static<typeof CampaignDetail>;

const common = { tag: 'Campaigns', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
const params = Type.Object({ id: IdText('ID of the campaign.') }, { description: 'The campaign.' });
const one = { description: 'The campaign.', schema: Campaign };
const writeErrors = ['reference_not_found', 'invalid_cron', 'not_configured'] as const;

/** Campaigns (docs/design/api-decisioning.md 14). */
export const campaignOperations = {
  list: operation({
    ...common,
    id: 'campaigns.list',
    method: 'GET',
    path: '/api/v1/runs',
    summary: 'List campaigns, newest first',
    role: 'viewer',
    query: Type.Object(
      { ...offsetQuery(campaignPage), status: Type.Optional(Status) },
      { description: 'Page and filter.' },
    ),
    responses: {
      200: {
        description: 'A page of campaigns.',
        schema: Type.Object(
          {
            runs: Type.Array(Campaign, { description: 'Campaigns with their newest run.' }),
            total: Type.Integer({ description: 'Number of matching campaigns.' }),
          },
          { description: 'Campaigns.' },
        ),
      },
    },
    errors: [],
    audit: [],
  }),
  create: operation({
    ...common,
    id: 'campaigns.create',
    method: 'POST',
    path: '/api/v1/runs',
    summary: 'Create a campaign',
    role: 'editor',
    body: CampaignCreate,
    record: Campaign,
    responses: { 201: one },
    errors: [...writeErrors],
    audit: [{ action: 'create', entityType: 'campaign' }],
  }),
  get: operation({
    ...common,
    id: 'campaigns.get',
    method: 'GET',
    path: '/api/v1/runs/{id}',
    summary: 'Get a campaign with its newest runs and results',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The campaign.', schema: CampaignDetail } },
    errors: ['not_found'],
    audit: [],
  }),
  update: operation({
    ...common,
    id: 'campaigns.update',
    method: 'PUT',
    path: '/api/v1/runs/{id}',
    summary: 'Update a campaign',
    description: 'Only the properties you send are changed. null clears a nullable property.',
    role: 'editor',
    params,
    body: CampaignChange,
    record: CampaignDetail,
    responses: { 200: one },
    errors: ['not_found', ...writeErrors],
    audit: [{ action: 'update', entityType: 'campaign' }],
  }),
  delete: operation({
    ...common,
    id: 'campaigns.delete',
    method: 'DELETE',
    path: '/api/v1/runs/{id}',
    summary: 'Delete a campaign with all its runs',
    description: 'Stops a run in progress first. Decisions that were made stay.',
    role: 'admin',
    params,
    responses: { 204: { description: 'Deleted.', schema: null } },
    errors: ['not_found'],
    audit: [{ action: 'delete', entityType: 'campaign' }],
  }),
} as const;
