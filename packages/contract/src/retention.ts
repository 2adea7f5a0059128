import Type, { type Static } from 'typebox';
import { operation } from './core/operation.ts';
import { Id, Int, Nullable, StringEnum } from './core/schemas.ts';

/** Classes of data whose life a tenant sets (part 1, retention configuration; docs/design/api-access.md 14). */
export const dataClasses = ['interactions', 'summaries', 'decisions', 'traces', 'metrics', 'audit'] as const;
export type DataClass = (typeof dataClasses)[number];

const DataClass = StringEnum(dataClasses, {
  description:
    'interactions: history; summaries: its sums; decisions: sealed records and the plans they name; traces: decision ' +
    'traces; metrics: report runs and alert events; audit: audit rows, which `POST /api/v1/cleanup` cuts.',
});

const config = {
  id: Id('Id of the configuration.'),
  dataClass: DataClass,
  retentionDays: Int(1, 36_500, 'Days that it is kept after it was stored.'),
  legalHold: Type.Boolean({ description: 'Nothing of the class is deleted while it is true.' }),
};

/** How long a class of data is kept. */
export const RetentionConfig = Type.Object(config, { description: 'How long a class of data is kept.' });
export type RetentionConfig = Static<typeof RetentionConfig>;

export const RetentionAnswer = Type.Object(
  {
    ...config,
    warning: Nullable(Type.String(), {
      description: 'What the tenant loses by its retention as a whole; null: nothing that is known of.',
    }),
  },
  { description: 'The configuration as it is now.' },
);
export type RetentionAnswer = Static<typeof RetentionAnswer>;

export const RetentionUpdate = Type.Object(
  {
    dataClass: DataClass,
    retentionDays: config.retentionDays,
    legalHold: Type.Optional(config.legalHold),
  },
  {
    description: 'What to set; what is left out stays.',
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
    summary: 'List how long classes of data are kept',
    description: 'What was set; a class that is not listed has its default.',
    responses: {
      200: {
        description: 'By class.',
        schema: Type.Array(RetentionConfig, { description: 'What was set.' }),
      },
    },
    audit: [],
  }),
  set: operation({
    ...shared,
    id: 'retentionConfigs.set',
    method: 'POST',
    summary: 'Set how long a class of data is kept',
    description: 'Acts at the next nightly run.',
    body: RetentionUpdate,
    record: RetentionAnswer,
    responses: { 200: { description: 'The configuration.', schema: RetentionAnswer } },
    // Without a row the default holds, so that the first one changes it too.
    audit: [{ action: 'update', entityType: 'retentionConfig' }],
  }),
} as const;
