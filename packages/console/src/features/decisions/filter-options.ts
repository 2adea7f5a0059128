import { decisionSources, offerFates } from '@arbiter/contract/decision-lists';
import { decisionTexts, fateTexts } from '../../messages/decisions.ts';
import { dropTexts, emptyTexts } from '../../messages/drops.ts';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

/** Filters of which one of a few is chosen, with their choices. */
export function filterOptions(
  channels: readonly { readonly id: string; readonly name: string }[],
): Readonly<Record<string, readonly FilterOption[]>> {
  const titles = (texts: Readonly<Record<string, { readonly title: string }>>): FilterOption[] =>
    Object.entries(texts).map(([value, { title }]) => ({ value, label: title }));
  return {
    channelId: channels.map(({ id, name }) => ({ value: id, label: name })),
    source: decisionSources.map((value) => ({ value, label: decisionTexts.sources[value] ?? value })),
    fate: offerFates.map((value) => ({ value, label: fateTexts[value] ?? value })),
    reason: titles(dropTexts),
    emptyReason: titles(emptyTexts),
    explored: [
      { value: 'true', label: decisionTexts.yes },
      { value: 'false', label: decisionTexts.no },
    ],
  };
}
