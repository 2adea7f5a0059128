import type { Decision, DecisionItem, Json } from '@arbiter/engine';
import type { Expected, ExpectedItem } from './oracle.ts';
import { isRow } from './world.ts';

/** Returns where a decision differs from the expected one; empty if they agree. */
export function differences(decision: Decision, wanted: Expected): string[] {
  const found: string[] = [];
  const shown = ({ offerId, creativeId, placementId, mandatory }: DecisionItem | ExpectedItem) =>
    [offerId, creativeId, placementId, mandatory ? 'mandatory' : ''].join(' ');
  const [got, want] = [decision.items.map(shown), wanted.items.map(shown)];
  if (JSON.stringify(got) !== JSON.stringify(want))
    found.push(`items: ${JSON.stringify(got)}, wanted ${JSON.stringify(want)}`);
  else found.push(...decision.items.flatMap((item, at) => inItem(item, wanted.items[at]!)));
  for (const { offerId, reason } of decision.trace?.dropped ?? []) {
    const known = wanted.reasons.get(offerId);
    if (!known?.has(reason)) found.push(`reason: ${offerId} left for ${reason}, wanted one of ${[...(known ?? [])]}`);
  }
  if (!isClose(decision.properties, wanted.properties))
    found.push(`properties: ${JSON.stringify(decision.properties)}, wanted ${JSON.stringify(wanted.properties)}`);
  const ran = (decision.subFlows ?? []).map(({ key }) => key);
  if (JSON.stringify(ran) !== JSON.stringify(wanted.ran)) found.push(`flows: ${ran}, wanted ${wanted.ran}`);
  return found;
}

function inItem(item: DecisionItem, wanted: ExpectedItem): string[] {
  const found: string[] = [];
  const tell = (what: string, got: unknown, want: unknown) =>
    void found.push(`${what} of item ${item.rank}: ${JSON.stringify(got)}, wanted ${JSON.stringify(want)}`);
  if (Math.abs(item.score - wanted.score) > 1e-9) tell('score', item.score, wanted.score);
  if (wanted.probability !== null && Math.abs(item.selection.probability - wanted.probability) > 1e-9)
    tell('probability', item.selection.probability, wanted.probability);
  const { probability, estimated } = item.selection;
  if (probability <= 0 || probability > 1) tell('probability', probability, 'a share');
  if (estimated !== wanted.isEstimated) tell('estimated', estimated, wanted.isEstimated);
  if (wanted.source !== null && item.propensitySource !== wanted.source)
    tell('source', item.propensitySource, wanted.source);
  const { _errors: errors = [], ...values } = item.personalization;
  for (const [key, value] of wanted.personal.values)
    if (!isClose(values[key] ?? null, value)) tell(`value ${key}`, values[key], value);
  const told = (errors as readonly Json[]).filter(isRow).map(({ name, kind }) => `${name} ${kind}`);
  if (JSON.stringify(told) !== JSON.stringify(wanted.personal.errors)) tell('errors', told, wanted.personal.errors);
  return found;
}

/** The same but for the last digits of numbers. */
function isClose(a: Json, b: Json): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, at) => isClose(each, b[at]));
  if (!isRow(a) || !isRow(b)) return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => b[key] !== undefined && isClose(a[key]!, b[key]));
}
