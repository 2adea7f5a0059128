import type { ContentStatus, ErrorEntry } from '@arbiter/contract';
import { AppError } from '../../../platform/app-error.ts';

export type JsonMembers = Readonly<Record<string, unknown>>;

/** Limit on the content, in bytes of UTF-8 JSON; the same as for creatives (docs/design/api-catalogue.md 7). */
const contentBytes = 100 * 1024;
/** Limit on the author's HTML in one text, in UTF-16 units: it is parsed without yielding to other work. */
export const longestHtml = 64 * 1024;
const maxVariables = 500;

const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const longestVariable = 128;
/** `customer.x`, `attributes.x.y`, `personalization.x`. */
const sourcePattern = /^(?:customer|attributes|personalization)(?:\.[^.\s]+)+$/;
const longestSource = 255;

/** 409: an item in this status can't `words`. */
export function notIn(status: ContentStatus, words: string): AppError {
  return new AppError('invalid_transition', { detail: `A content item with status ${status} can't ${words}.` });
}

/** `bytes` returns the UTF-8 size of a text. */
export function contentProblems(content: JsonMembers, bytes: (text: string) => number): ErrorEntry[] {
  if (bytes(JSON.stringify(content)) > contentBytes) {
    return [{ path: '/content', message: `must be at most ${contentBytes} bytes` }];
  }
  const { html } = content;
  if (typeof html !== 'string' || html.length <= longestHtml) return [];
  return [{ path: '/content/html', message: `must be at most ${longestHtml} characters` }];
}

/**
 * Checks variables by name. Each needs a source, a fallback or both. With a parent template, null removes the
 * template's variable.
 */
export function personalizationProblems(variables: JsonMembers, hasParent: boolean): ErrorEntry[] {
  const entries = Object.entries(variables);
  if (entries.length > maxVariables) {
    return [{ path: '/personalization', message: `must have at most ${maxVariables} variables` }];
  }
  return entries.flatMap(([name, entry]) => {
    const path = `/personalization/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (name.length > longestVariable || !variablePattern.test(name)) {
      return [{ path, message: 'must be at most 128 letters, digits, underscores and dots' }];
    }
    return variableProblems(path, entry, hasParent);
  });
}

function variableProblems(path: string, entry: unknown, hasParent: boolean): ErrorEntry[] {
  if (entry === null && hasParent) return [];
  if (typeof entry === 'string') return sourceProblems(path, entry);
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    return [{ path, message: 'must be a source, or an object with source and fallback' }];
  }
  return Object.entries(entry).flatMap(([key, value]): ErrorEntry[] => {
    if (value === null && (hasParent || key === 'source' || key === 'fallback')) return [];
    if (key === 'source') {
      return typeof value === 'string'
        ? sourceProblems(`${path}/source`, value)
        : [{ path: `${path}/source`, message: 'must be a path' }];
    }
    if (key === 'fallback') {
      const isPrintable = ['string', 'number', 'boolean'].includes(typeof value);
      return isPrintable ? [] : [{ path: `${path}/fallback`, message: 'must be a string, a number or a boolean' }];
    }
    return [{ path: `${path}/${key}`, message: 'is not supported: an entry has source and fallback' }];
  });
}

function sourceProblems(path: string, source: string): ErrorEntry[] {
  if (source.length <= longestSource && sourcePattern.test(source)) return [];
  return [{ path, message: 'must be a path that starts with customer., attributes. or personalization.' }];
}
