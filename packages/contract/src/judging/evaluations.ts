import Type from 'typebox';
import { operation } from '../core/operation.ts';
import { IdText } from '../core/schemas.ts';
import { studiesPerMinute } from './backtests.ts';
import { EvaluationRequest } from './evaluation-results.ts';
import { StudyStarted } from './studies.ts';

export const evaluationOperations = {
  start: operation({
    tag: 'Studies',
    auth: 'credential',
    id: 'evaluations.start',
    method: 'POST',
    path: '/api/v1/decision-flows/{id}/evaluate',
    summary: 'Estimate what a draft would have earned',
    description:
      'Estimates the reward per decision that the draft or another version of the flow would have earned, from recorded decisions, their selection probabilities and the responses to them. ' +
      "Read the result with `GET /studies/{id}`. If the records can't support an estimate, the verdict is `refused`, with the reasons and what would help. " +
      'Returns 409 `study_running` with the ID of the identical study in `studyId`, and 409 `history_unavailable` with the earliest possible start in `from`.',
    role: 'editor',
    loadClass: 'heavy',
    params: Type.Object({ id: IdText('ID or key of the flow.') }, { description: 'Flow to use.' }),
    body: EvaluationRequest,
    rateLimits: [{ limit: studiesPerMinute, windowSeconds: 60, per: 'tenant', bucket: 'studies' }],
    responses: { 202: { description: 'The study runs in the background.', schema: StudyStarted } },
    errors: [
      'not_found',
      'reference_not_found',
      'unknown_outcome',
      'study_running',
      'limit_reached',
      'history_unavailable',
      'overlay_invalid',
      'not_comparable',
      'pipeline_invalid',
      'scoring_not_configured',
      'not_configured',
    ],
    audit: [{ action: 'create', entityType: 'study' }],
    transaction: 'own',
  }),
};
