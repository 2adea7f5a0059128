import { decisionSources, offerFates } from '@arbiter/contract/deciding/decision-lists';
import { dropTexts, emptyTexts, stageNames } from '@arbiter/contract/explanation/texts';
import { decisionTexts, fateTexts } from '../../../messages/decisions/decisions.ts';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

/** Funnel steps that drop no offers. */
const noLeaving = new Set(['all', 'shown', 'load', 'compute', 'set_properties', 'response', 'commit']);

/** Filters with fixed options. */
export function filterOptions(
  channels: readonly { readonly id: string; readonly name: string }[],
): Readonly<Record<string, readonly FilterOption[]>> {
  const titles = (texts: Readonly<Record<string, { readonly title: string }>>): FilterOption[] =>
    Object.entries(texts).map(([value, { title }]) => ({ value, label: title }));
  return {
    channelId: channels.map(({ id, name }) => ({ value: id, label: name })),
    source: decisionSources.map((value) => ({ value, label: decisionTexts.sources[value] ?? value })),
    fate: offerFates.map((value) => ({ value, label: fateTexts[value] ?? value })),
    stage: Object.entries(stageNames)
      .filter(([stage]) => !noLeaving.has(stage))
      .map(([value, label]) => ({ value, label })),
    reason: titles(dropTexts),
    emptyReason: titles(emptyTexts),
    explored: [
      { value: 'true', label: decisionTexts.yes },
      { value: 'false', label: decisionTexts.no },
    ],
  };
}
