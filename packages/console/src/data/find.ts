import type { SearchHit } from '../route/feature.ts';
import { codeOf, failureOf } from './failure.ts';

/** Whether a text is a complete record ID. */
export const isRecordId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);

/** Returns the result of a lookup by ID. A missing record isn't an error: the result is empty. */
export async function unlessMissing(look: () => Promise<readonly SearchHit[]>): Promise<readonly SearchHit[]> {
  try {
    return await look();
  } catch (error) {
    if (codeOf(failureOf(error)) === 'not_found') return [];
    throw error;
  }
}
