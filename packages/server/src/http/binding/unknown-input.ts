import type { IncomingMessage } from 'node:http';
import type { Operation } from '@arbiter/contract';
import type { Remark } from '../../platform/remark.ts';
import { refusalOf, remarksText, unknownProperties } from '../answers/remarks.ts';
import { FileBody } from '../input/stream-body.ts';
import { createFindUnknown } from '../input/unknown-properties.ts';
import { addHeaders, type RequestState } from './request-state.ts';

/**
 * Returns the parts of a request that its operation doesn't know, or null, and names them in a header of the answer.
 * Throws `validation_failed` for a strict caller, except in an operation with a transaction: there `perform` runs the
 * service too and rejects with its remarks as well.
 */
export type CheckUnknown = (
  request: IncomingMessage,
  parsed: unknown,
  isStrict: boolean,
  state: RequestState,
) => readonly Remark[] | null;

export function createCheckUnknown(operation: Operation): CheckUnknown {
  const findUnknown = createFindUnknown(operation);
  const inTransaction = operation.transaction === 'tenant';
  return (request, parsed, isStrict, state) => {
    const unknown = findUnknown(request.url ?? '', parsed instanceof FileBody ? undefined : parsed);
    if (unknown === null) return null;
    if (operation.knowsItsQuery === true && unknown.some(({ path }) => path.startsWith('query.')))
      throw refusalOf(unknown);
    if (!isStrict) addHeaders(state, { [unknownProperties]: remarksText(unknown) });
    else if (!inTransaction) throw refusalOf(unknown);
    return unknown;
  };
}
