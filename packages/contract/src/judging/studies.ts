import Type, { type Static } from 'typebox';
import { Binary } from '../core/bodies.ts';
import { operation } from '../core/operation.ts';
import { cursorPage, cursorQuery, defaultPage } from '../core/pages.ts';
import { Id, IdFilter, IdText, Nullable, StringEnum, Timestamp } from '../core/schemas.ts';
import { BacktestResult, BacktestSpec } from './backtest-results.ts';
import { CheckResult, CheckSpec } from './checks.ts';
import { EvaluationResult, EvaluationSpec } from './evaluation-results.ts';

// Long analyses of recorded decisions and of the catalogue (docs/design/lead.md 1).

/** Kinds of studies. */
export const studyKinds = ['backtest', 'evaluate', 'check'] as const;
export const studyStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const studyErrors = ['internal', 'plan_missing', 'timed_out'] as const;
/** Days until a study is deleted. */
export const studyDays = 90;
/** Maximum lines of `GET /studies/{id}/rows`. */
export const maxStudyRows = 100_000;

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const StudyProgress = Type.Object(
  {
    decisions: count('Decisions judged so far.'),
    total: count('Decisions to judge; 0 until they are selected, and for checks, which judge none.'),
  },
  { description: 'Progress of the study.' },
);

const summary = {
  id: Id('ID of the study.'),
  kind: StringEnum(studyKinds, { description: 'What the study does.' }),
  flowId: Id('Flow being judged.'),
  status: StringEnum(studyStatuses, {
    description:
      '`queued` while another study of the tenant runs, then `running`, then one of the others, which are final. Checks only wait ' +
      'for other checks.',
  }),
  progress: StudyProgress,
  error: Nullable(StringEnum(studyErrors, { description: 'Error code.' }), {
    description:
      'Why it failed; null unless it did. `internal`: every attempt within a few minutes failed. `plan_missing`: its plan is ' +
      'damaged or missing. `timed_out`: selecting its records took longer than five minutes; choose a shorter range.',
  }),
  candidateHash: Type.String({ description: 'Hash of the judged plan, in hex.' }),
  configVersion: Type.Integer({ description: 'Catalogue version that the plan was compiled from.' }),
  dataCut: Timestamp('Records stored after this are left out.'),
  createdBy: Type.String({ description: 'Who started it.' }),
  createdAt: Timestamp('When it was started.'),
  completedAt: Nullable(Timestamp('Instant.'), { description: 'When it ended; null until then.' }),
  expiresAt: Timestamp(`When it is deleted: ${studyDays} days after its start.`),
};

export const StudySummary = Type.Object(summary, { description: 'A study without its result.' });
export type StudySummary = Static<typeof StudySummary>;

export const Study = Type.Object(
  {
    ...summary,
    spec: Type.Union([BacktestSpec, EvaluationSpec, CheckSpec], { description: 'The request, with its defaults.' }),
    result: Nullable(
      Type.Union([BacktestResult, EvaluationResult, CheckResult], { description: 'The result, by kind of study.' }),
      {
        description: 'The result; null until the study is completed.',
      },
    ),
  },
  { description: 'A study.' },
);
export type Study = Static<typeof Study>;

/** Answer to a request that starts a study. */
export const StudyStarted = Type.Object(
  { studyId: Id('ID of the study.'), jobId: Id('Same as `studyId`.') },
  { description: 'The study that was started.' },
);
export type StudyStarted = Static<typeof StudyStarted>;

const params = Type.Object({ id: IdText('ID of the study.') }, { description: 'Study to use.' });

const common = { tag: 'Studies', auth: 'credential', loadClass: 'crud' } as const;

export const studyOperations = {
  list: operation({
    ...common,
    id: 'studies.list',
    method: 'GET',
    path: '/api/v1/studies',
    summary: 'List studies',
    description: `Studies of the last ${studyDays} days, newest first.`,
    role: 'viewer',
    query: Type.Object(
      {
        ...cursorQuery(defaultPage),
        kind: Type.Optional(StringEnum(studyKinds, { description: 'Kind to list.' })),
        flowId: Type.Optional(IdFilter('Flow whose studies to list.')),
      },
      { description: 'Page and filter.' },
    ),
    responses: { 200: { description: 'A page of studies.', schema: cursorPage(StudySummary) } },
    errors: ['invalid_cursor'],
    audit: [],
    transaction: 'tenant',
  }),
  get: operation({
    ...common,
    id: 'studies.get',
    method: 'GET',
    path: '/api/v1/studies/{id}',
    summary: 'Get a study',
    role: 'viewer',
    params,
    responses: { 200: { description: 'The study.', schema: Study } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
  rows: operation({
    ...common,
    id: 'studies.rows',
    method: 'GET',
    path: '/api/v1/studies/{id}/rows',
    summary: 'Download the changed decisions',
    description:
      `Returns a line of JSON for each changed decision, at most ${maxStudyRows}: its ID, the kind of change, and its items before and after. ` +
      'Empty until the study is completed.',
    role: 'viewer',
    params,
    responses: {
      200: { description: 'The lines.', schema: Binary(), kind: 'file', mediaTypes: ['application/x-ndjson'] },
    },
    errors: ['not_found'],
    audit: [{ action: 'read', entityType: 'study' }],
    transaction: 'own',
  }),
  cancel: operation({
    ...common,
    id: 'studies.cancel',
    method: 'POST',
    path: '/api/v1/studies/{id}/cancel',
    summary: 'Cancel a study',
    description: 'Ends a queued or running study. Returns 409 if it has already ended.',
    role: 'editor',
    params,
    body: Type.Object({}, { description: 'An empty body.' }),
    responses: { 200: { description: 'The study.', schema: Study } },
    errors: ['not_found', 'invalid_transition'],
    audit: [{ action: 'update', entityType: 'study' }],
    transaction: 'tenant',
  }),
};
