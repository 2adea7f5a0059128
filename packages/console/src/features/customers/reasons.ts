import { dropTexts, emptyTexts } from '@arbiter/contract/explanation/texts';

const titles: ReadonlyMap<string, string> = new Map(Object.entries(dropTexts).map(([key, { title }]) => [key, title]));

/** Short label of a drop reason. Unknown reasons are shown as they are. */
export const reasonTitle = (reason: string): string => titles.get(reason) ?? reason.replaceAll('_', ' ');

const empty: ReadonlyMap<string, string> = new Map(Object.entries(emptyTexts).map(([key, { title }]) => [key, title]));

/** Short label of why a result is empty. */
export const emptyTitle = (reason: string): string => empty.get(reason) ?? reason.replaceAll('_', ' ');
