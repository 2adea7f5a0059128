import type { Finding, Repository } from './repository.ts';

/** Words that say of a file only that its author had no name for it: alone, or as one of several (`date-utils.ts`). */
const emptyWords = new Set(['util', 'utils', 'helper', 'helpers', 'common']);
/** Fine beside another word (`outcome-types`), empty alone. */
const emptyNames = new Set(['type', 'types']);

/** Files and folders whose name says nothing about a subject, with any ending. */
export function namelessFiles({ files }: Repository): Finding[] {
  return files.flatMap((file) => {
    const empty = file.split('/').find(isEmptyName);
    return empty === undefined ? [] : [{ rule: 'files-are-named-by-subject', file, line: 0, what: empty }];
  });
}

function isEmptyName(name: string): boolean {
  const parts = name.toLowerCase().split('.');
  return parts.some((part) => emptyNames.has(part) || part.split(/[-_]/).some((word) => emptyWords.has(word)));
}
