import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, Int, Nullable, StringEnum } from '../core/schemas.ts';

/** Classes of data whose retention a tenant sets (docs/design/api-access.md 14). */
export const dataClasses = ['interactions', 'summaries', 'decisions', 'traces', 'metrics', 'audit'] as const;
export type DataClass = (typeof dataClasses)[number];

const DataClass = StringEnum(dataClasses, {
  description:
    'interactions: history. summaries: aggregated history. decisions: sealed records and the plans they ' +
    'refer to. traces: decision traces. metrics: report runs and alert events. audit: audit rows, which ' +
    '`POST /api/v1/cleanup` deletes.',
});

const config = {
  id: Id('ID of the configuration.'),
  dataClass: DataClass,
  retentionDays: Int(1, 36_500, 'Number of days to keep data after it was stored.'),
  legalHold: Type.Boolean({ description: 'True: nothing of the class is deleted.' }),
};

/** How long a class of data is kept. */
export const RetentionConfig = Type.Object(config, { description: 'Retention of one data class.' });
export type RetentionConfig = Static<typeof RetentionConfig>;

export const RetentionAnswer = Type.Object(
  {
    ...config,
    warning: Nullable(Type.String(), {
      description: "Known side effects of the tenant's retention settings as a whole, or null.",
    }),
  },
  { description: 'The current configuration.' },
);
export type RetentionAnswer = Static<typeof RetentionAnswer>;

export const RetentionUpdate = Type.Object(
  {
    dataClass: DataClass,
    retentionDays: config.retentionDays,
    legalHold: Type.Optional(config.legalHold),
  },
  {
    description: 'Settings to change. Omitted ones keep their value.',
    examples: [{ dataClass: 'decisions', retentionDays: 365 }],
  },
);
export type RetentionUpdate = Static<typeof RetentionUpdate>;

const shared = {
  path: '/api/v1/admin/retention-configs',
  tag: 'Administration',
  auth: 'credential',
  role: 'admin',
  loadClass: 'crud',
  errors: [],
  transaction: 'tenant',
} as const;

export const retentionOperations = {
  list: operation({
    ...shared,
    id: 'retentionConfigs.list',
    method: 'GET',
    summary: 'List retention settings',
    description: 'Returns configured classes. Other classes use their default.',
    responses: {
      200: {
        description: 'Settings by class.',
        schema: Type.Array(RetentionConfig, { description: 'Configured retention settings.' }),
      },
    },
    audit: [],
  }),
  set: operation({
    ...shared,
    id: 'retentionConfigs.set',
    method: 'POST',
    summary: 'Set the retention of a data class',
    description: 'Takes effect at the next nightly run.',
    body: RetentionUpdate,
    record: RetentionAnswer,
    responses: { 200: { description: 'The configuration.', schema: RetentionAnswer } },
    // Without a row the default holds, so that the first one changes it too.
    audit: [{ action: 'update', entityType: 'retentionConfig' }],
  }),
} as const;
