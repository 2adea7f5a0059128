import type { Operation } from '@arbiter/contract';
import type { Logger } from '../../platform/logger.ts';
import type { WholeAnswer } from '../answers/answer.ts';
import { errorAnswer } from '../answers/error-formats.ts';
import type { Pages } from '../answers/pages.ts';
import { attemptId, toAppError } from '../answers/problem.ts';
import type { RequestState } from './request-state.ts';

/** The parts of an operation that shape its failures. */
type FailureFacts = Pick<Operation, 'decides' | 'errorFormat'> & {
  /** The error word the login page shows a browser; null: the caller gets the error itself. */
  readonly page?: string | null;
};

/** Turns what a request threw into its answer, and logs the server's own failures. */
export type FailureAnswer = (thrown: unknown, state: RequestState, route: string, facts: FailureFacts) => WholeAnswer;

export function createFailureAnswer(logger: Logger, pages: Pages): FailureAnswer {
  return (thrown, { requestId }, route, { decides = false, errorFormat = 'problem', page = null }) => {
    const error = toAppError(thrown);
    const recommendationId = decides ? attemptId(requestId) : null;
    if (error.status >= 500 && error.code !== 'overloaded' && error.code !== 'not_fresh') {
      const named = recommendationId === null ? {} : { recommendationId };
      const facts = { requestId, ...named, route, code: error.code, err: error.cause ?? error };
      if (error.code === 'internal') logger.error(facts, 'request failed');
      else logger.warn(facts, 'request failed');
    }
    if (page !== null) return { status: 302, headers: { location: pages.login({ error: page }) }, body: null };
    return errorAnswer(error, requestId, errorFormat, recommendationId);
  };
}
