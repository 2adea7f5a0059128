import type { Finding, Repository } from './repository.ts';

/** Words that say nothing about a file, alone or in combination (`date-utils.ts`). */
const emptyWords = new Set(['util', 'utils', 'helper', 'helpers', 'common']);
/** Fine in combination (`outcome-types`), but empty alone. */
const emptyNames = new Set(['type', 'types']);

/** Returns files and folders whose name says nothing about a subject, with any extension. */
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
