import { type OperationInput, type OperationReply, type Operations, operations } from '@arbiter/contract';
import type { AnyHandler, RequestFacts } from '../../../http/handler.ts';
import { type Check, createChecks } from '../../../http/input/validation.ts';

/** Operations that the pages call. */
type CalledOperation =
  | 'auth.acceptInvite'
  | 'auth.forgotPassword'
  | 'auth.login'
  | 'auth.mfa'
  | 'auth.register'
  | 'auth.resendVerification'
  | 'auth.resetPassword';

type BodyOf<I extends CalledOperation> = OperationInput<Operations[I]>['body'];

/** Calls an operation as if its body had come over the API. Throws its errors. */
export type CallOperation = <I extends CalledOperation>(
  id: I,
  facts: RequestFacts,
  body: BodyOf<I>,
) => Promise<OperationReply<Operations[I]>>;

/** What the API does for a form is done by the API's own handlers, behind the same checks of the body. */
export function createCalls(handlers: () => ReadonlyMap<string, AnyHandler>): CallOperation {
  const compiler = createChecks();
  const checks = new Map<CalledOperation, Check>();
  return async (id, facts, body) => {
    let check = checks.get(id);
    if (check === undefined) {
      check = compiler.compile(operations[id].body, 'body');
      checks.set(id, check);
    }
    check(body, 0);
    const handler = handlers().get(id);
    if (handler === undefined) throw new Error(`the operation ${id} does not exist`);
    // The handlers' types are checked where they are written (http/handler.ts).
    const run = handler as (request: object) => Promise<OperationReply<Operations[typeof id]>>;
    return run({ ...facts, idempotencyKey: null, params: {}, query: {}, headers: {}, body });
  };
}
