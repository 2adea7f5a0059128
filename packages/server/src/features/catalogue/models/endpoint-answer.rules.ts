import type { EndpointMapping, ExternalAnswer, ExternalEntry } from '@arbiter/engine';
import { isObject } from '../../../platform/json.ts';

/**
 * Parses the response of a model's endpoint: an object of scores by offer, or a list of objects, where the mapping says.
 * Ignores offers that weren't asked about, and scores that aren't numbers from 0 to 1; of an offer named twice, the first
 * score counts. Null: it isn't a valid response and fails as a whole.
 */
export function readEndpointAnswer(
  text: string,
  { scoresPath, offerIdField, scoreField }: EndpointMapping,
  asked: ReadonlySet<string>,
): ExternalAnswer | null {
  const scores = valueAt(text, scoresPath);
  if (typeof scores !== 'object' || scores === null) return null;
  const pairs = Array.isArray(scores)
    ? scores.map((row: unknown) => (isObject(row) ? [row[offerIdField], row[scoreField]] : [null, null]))
    : Object.entries(scores);
  const entries = new Map<string, ExternalEntry>();
  for (const [id, score] of pairs) {
    if (typeof id !== 'string' || typeof score !== 'number' || !(score >= 0 && score <= 1)) continue;
    const offerId = id.toLowerCase();
    // -0 becomes 0, as all numbers from outside.
    if (asked.has(offerId) && !entries.has(offerId)) entries.set(offerId, { offerId, score: score + 0, drop: false });
  }
  return { candidates: [...entries.values()] };
}

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : null;
  return value;
}
