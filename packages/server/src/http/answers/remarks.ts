import type { Warning } from '@arbiter/contract';
import { told } from '@arbiter/engine';
import { AppError } from '../../platform/app-error.ts';
import type { Remark } from '../../platform/remark.ts';

/** Maximum remarks in an answer (docs/design/api-settled.md). */
export const maximumRemarks = 10;

export const unknownProperties = 'x-unknown-properties';

/** Header for a request that asked for strict handling and got it. */
export const strictApplied: Readonly<Record<string, string>> = Object.freeze({
  'preference-applied': 'handling=strict',
});

/**
 * Returns `chanel (channel?), config.perDay (maxPerDay?), config (No limit is set, so nothing is capped.)`.
 * Client-supplied names are percent-encoded unless they consist of plain name characters, so they can't end the header
 * or imitate another entry.
 */
export function remarksText(remarks: readonly Remark[]): string {
  return remarks.slice(0, maximumRemarks).map(entryOf).join(', ');
}

function entryOf({ path, nearest, reason }: Remark): string {
  const why = nearest === null ? reason : `${nearest}?`;
  return why === null ? nameOf(path) : `${nameOf(path)} (${why})`;
}

/** Returns `/config/windows/0/mx` as `config.windows[0].mx`, and `query.lmit` unchanged. The whole body is `body`. */
function nameOf(path: string): string {
  if (path === '') return 'body';
  if (!path.startsWith('/')) return encoded(path);
  let name = '';
  for (const step of path.slice(1).split('/')) {
    const key = encoded(step.replaceAll('~1', '/').replaceAll('~0', '~'));
    name += /^[0-9]{1,6}$/.test(step) && name !== '' ? `[${key}]` : `${name === '' ? '' : '.'}${key}`;
  }
  return name;
}

function encoded(key: string): string {
  return encodeURIComponent(told(key).toWellFormed()).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
}

/** Returns a 400 for a caller who asked for strict handling, with the texts of the header and each place. */
export function refusalOf(remarks: readonly Remark[]): AppError {
  return new AppError('validation_failed', {
    detail: `Some input has no effect: ${remarksText(remarks)}`,
    errors: remarks.slice(0, maximumRemarks).map(({ path, nearest, reason }) => ({
      path,
      message: reason ?? `is not known${nearest === null ? '' : `; did you mean ${nearest}?`}`,
    })),
  });
}

/** Returns the remarks as a list of warnings for the body of a success. */
export function warningsOf(remarks: readonly Remark[]): Warning[] {
  return remarks.slice(0, maximumRemarks).map(({ path, nearest, reason, suggestion, code }) => ({
    path,
    code: code ?? (reason === null ? 'unknown_property' : 'no_effect'),
    message: reason ?? `${nameOf(path)} is not a known property, so it was ignored.`,
    suggestion: suggestion ?? (nearest === null ? null : `Did you mean ${nearest}?`),
  }));
}
