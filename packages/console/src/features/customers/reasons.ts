import { dropTexts, emptyTexts } from '../../messages/drops.ts';

const titles: ReadonlyMap<string, string> = new Map(Object.entries(dropTexts).map(([key, { title }]) => [key, title]));

/** Why an offer leaves, in a few words; what is not known is shown as it was sent. */
export const reasonTitle = (reason: string): string => titles.get(reason) ?? reason.replaceAll('_', ' ');

const empty: ReadonlyMap<string, string> = new Map(Object.entries(emptyTexts).map(([key, { title }]) => [key, title]));

/** Why an answer has no item, in a few words. */
export const emptyTitle = (reason: string): string => empty.get(reason) ?? reason.replaceAll('_', ' ');
