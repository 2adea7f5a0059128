import Type from 'typebox';
import { installationJob } from '../../../jobs/index.ts';

/** Answers one registration, or one request for a mailed link. */
export const answerRequestJob = installationJob({
  name: 'accounts.answer-request',
  payload: Type.Object(
    { place: Type.String({ format: 'uuid' }), requestId: Type.String({ format: 'uuid' }) },
    { additionalProperties: false },
  ),
});
