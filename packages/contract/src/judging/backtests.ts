import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Id, IdText, Nullable, StringEnum } from '../core/schemas.ts';
import { BacktestRequest, BacktestResult } from './backtest-results.ts';
import { StudyProgress, StudyStarted, studyErrors, studyStatuses } from './studies.ts';

/** Studies that a tenant may start in a minute (docs/design/api-access.md 17). */
export const studiesPerMinute = 20;

/** A backtest with its status. */
export const Backtest = Type.Object(
  {
    studyId: Id('ID of the study.'),
    jobId: Id('Same as `studyId`.'),
    status: StringEnum(studyStatuses, { description: 'Status of the study.' }),
    error: Nullable(StringEnum(studyErrors, { description: 'Error code.' }), {
      description: 'Why it failed; null unless it did.',
    }),
    progress: StudyProgress,
    ...Type.Partial(BacktestResult).properties,
  },
  { description: 'A backtest. The fields of its result are present once it is completed.' },
);
export type Backtest = Static<typeof Backtest>;

const flow = Type.Object({ id: IdText('ID or key of the flow.') }, { description: 'Flow to use.' });

const common = { tag: 'Studies', auth: 'credential' } as const;

export const backtestOperations = {
  start: operation({
    ...common,
    id: 'backtests.start',
    method: 'POST',
    path: '/api/v1/decision-flows/{id}/backtest',
    summary: 'Compare a draft with past decisions',
    description:
      'Repeats recorded decisions with the draft or another version of the flow, optionally with changes to the catalogue, and reports which answers change. ' +
      'Stores only the study. Returns 409 `study_running` with the ID of the identical study in `studyId`, and 409 `history_unavailable` with the earliest possible start in `from`.',
    role: 'editor',
    loadClass: 'heavy',
    params: flow,
    body: BacktestRequest,
    rateLimits: [{ limit: studiesPerMinute, windowSeconds: 60, per: 'tenant', bucket: 'studies' }],
    responses: { 202: { description: 'The study runs in the background.', schema: StudyStarted } },
    errors: [
      'not_found',
      'reference_not_found',
      'study_running',
      'limit_reached',
      'history_unavailable',
      'overlay_invalid',
      'pipeline_invalid',
      'scoring_not_configured',
      'not_configured',
    ],
    audit: [{ action: 'create', entityType: 'study' }],
    transaction: 'own',
  }),
  get: operation({
    ...common,
    id: 'backtests.get',
    method: 'GET',
    path: '/api/v1/decision-flows/{id}/backtests/{jobId}',
    summary: 'Get a backtest',
    role: 'viewer',
    loadClass: 'crud',
    params: Type.Object(
      { ...flow.properties, jobId: IdText('`jobId` from the response that started it.') },
      { description: 'Backtest to use.' },
    ),
    responses: { 200: { description: 'The backtest.', schema: Backtest } },
    errors: ['not_found'],
    audit: [],
    transaction: 'tenant',
  }),
};
