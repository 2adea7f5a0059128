import {
  causeTexts,
  type DropText,
  dropTexts,
  emptyTexts,
  stageNames,
  suppressionTexts,
  usedUpByAnswer,
} from '../../messages/drops.ts';
import type { DroppedRow } from './explained.ts';
import type { Writers } from './gates.ts';
import { numberOf, textOf } from './reading.ts';

const lookUp = <T>(texts: Readonly<Record<string, T>>, key: string): T | null =>
  Object.hasOwn(texts, key) ? (texts[key] ?? null) : null;

/** Returns the texts of a drop reason. Unknown reasons are shown as they are. */
export const reasonText = (reason: string): DropText =>
  lookUp(dropTexts, reason) ?? { title: reason, text: `It left for the reason ${reason}.` };

/** Returns why a result is empty. */
export const emptyText = (reason: string): DropText =>
  lookUp(emptyTexts, reason) ?? { title: reason, text: `It is empty for the reason ${reason}.` };

/** Returns the label of a stage. Stages of a called flow include its key: `call_flow:<key>/<type>`. */
export function stageName(stage: string): string {
  const inside = /^call_flow:(.+)\/([^/]+)$/.exec(stage);
  if (inside !== null) return `${lookUp(stageNames, inside[2] ?? '') ?? inside[2]} (${inside[1]})`;
  return lookUp(stageNames, stage) ?? stage;
}

/** Returns details of a drop in one line; null if the reason or a gate says it all. */
export function dropDetail(row: DroppedRow, write: Writers): string | null {
  const { detail, reason, stage } = row;
  const cause = textOf(detail.cause);
  if (cause !== null) return lookUp(causeTexts, cause) ?? cause;
  if (reason === 'suppressed') {
    const scope = lookUp(suppressionTexts.scopes, textOf(detail.scope) ?? '') ?? '';
    const until = textOf(detail.expiresAt);
    const words = until === null ? scope : suppressionTexts.until(scope, write.instant(until));
    const why = textOf(detail.reason);
    return why === null ? words : `${words}: ${why}`;
  }
  if (reason === 'min_score' || reason === 'min_propensity') {
    const [actual, least] = [
      numberOf(reason === 'min_score' ? detail.score : detail.propensity),
      numberOf(reason === 'min_score' ? detail.minScore : detail.minPropensity),
    ];
    return actual === null || least === null ? null : `${write.number(actual)}, at least ${write.number(least)}`;
  }
  if (stage === 'admission' && reason === 'contact_policy') return usedUpByAnswer;
  return null;
}
