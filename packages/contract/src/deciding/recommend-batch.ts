import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';
import { Problem } from '../core/problem.ts';
import { recommendAnswerExample, recommendExample } from './decision-examples.ts';
import { RecommendAnswer, RecommendRequest } from './recommendation.ts';

/** Requests of one call. */
export const recommendBatchMaximum = 500;

export const RecommendBatchRequest = Type.Object(
  {
    requests: Type.Array(Type.Unsafe<unknown>(RecommendRequest), {
      minItems: 1,
      maxItems: recommendBatchMaximum,
      description: 'Request bodies of `POST /api/v1/recommend`.',
    }),
  },
  { description: 'Requests for decisions.', examples: [{ requests: [recommendExample] }] },
);
export type RecommendBatchRequest = Static<typeof RecommendBatchRequest>;

export const RecommendBatchAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          status: Type.Integer({ description: 'HTTP status that this request would get on its own.' }),
          body: Type.Union([RecommendAnswer, Problem], {
            description: 'Body that this request would get on its own: the decision, or a problem.',
          }),
        },
        { description: 'Result for one request.' },
      ),
      { description: 'One entry per request, in order.' },
    ),
    decided: Type.Integer({ description: 'Number of decisions made by this call.' }),
    replayed: Type.Integer({ description: 'Number of decisions made by an earlier call.' }),
    failed: Type.Integer({ description: 'Number of requests rejected.' }),
  },
  {
    description: 'Results of the requests.',
    examples: [{ results: [{ status: 200, body: recommendAnswerExample }], decided: 1, replayed: 0, failed: 0 }],
  },
);
export type RecommendBatchAnswer = Static<typeof RecommendBatchAnswer>;

/** Asks for many decisions. */
export const recommendBatchOperations = {
  recommendBatch: operation({
    id: 'decisions.recommendBatch',
    method: 'POST',
    path: '/api/v1/recommend/batch',
    tag: 'Decisions',
    summary: 'Decide what to show up to 500 customers',
    description:
      'Each request is decided or rejected independently, including malformed ones, and counts as one call of `POST /api/v1/recommend` against its rate limit. A batch with more requests than that limit allows in a minute is rejected with `validation_failed`. An `Idempotency-Key` covers the call for 7 days: a repeated call returns the same decisions and retries the requests that failed. A call with the same key and different requests is rejected.',
    auth: 'credential',
    role: 'viewer',
    loadClass: 'decision',
    idempotent: true,
    rateLimitSetting: 'RECOMMEND_RATE_PER_MINUTE',
    rateLimitItems: { list: 'requests', bucket: 'decisions.recommend' },
    body: RecommendBatchRequest,
    judgedAlone: ['requests'],
    bodyLimit: 10 * 1024 * 1024,
    responses: { 200: { description: 'Result for each request.', schema: RecommendBatchAnswer } },
    errors: ['validation_failed', 'idempotency_key_reused', 'not_configured'],
    audit: [],
    transaction: 'own',
  }),
};
