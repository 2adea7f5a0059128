import type { PlanCreative } from '../plan/offer.ts';
import type { SnapshotContentItem, SnapshotCreative } from '../plan/snapshot.ts';
import type { Template } from '../plan/template.ts';
import { compileTemplate } from '../templates/compile-template.ts';

/** Compiled templates that a plan keeps. They're several times larger than their creatives. */
const maxStored = 1024;

/**
 * Paths by row: most of the time of compiling thousands of creatives. The next version of the catalogue comes with the
 * same rows but for those that changed. Rows are never written to, so an entry stays true as long as it lives.
 */
const known = new WeakMap<SnapshotCreative, CreativeSource>();

interface CreativeSource {
  readonly item: SnapshotContentItem | null;
  readonly paths: Template['paths'];
}

/** The paths that the content of a creative can read, that of its published content item included. */
export function templatePaths(row: SnapshotCreative, item: SnapshotContentItem | null): Template['paths'] {
  const before = known.get(row);
  if (before !== undefined && before.item === item) return before.paths;
  const paths = share(compileCreative(row, item).paths);
  known.set(row, { item, paths });
  return paths;
}

/** Thousands of creatives read the same few paths. */
const shared = new Map<string, Template['paths']>();
const maxShared = 256;

function share(paths: Template['paths']): Template['paths'] {
  const name = JSON.stringify(paths);
  const found = shared.get(name);
  if (found !== undefined) return found;
  if (shared.size >= maxShared) shared.clear();
  shared.set(name, paths);
  return paths;
}

/**
 * Creates a plan's templates by creative, compiled on first use. A decision renders a few of thousands, and compiling
 * one takes microseconds, so the plan keeps those in use and starts over when there are too many.
 */
export function createTemplates(): (creative: PlanCreative) => Template {
  const templates = new Map<number, Template>();
  return ({ ordinal, row, item }) => {
    let template = templates.get(ordinal);
    if (template === undefined) {
      if (templates.size >= maxStored) templates.clear();
      template = compileCreative(row, item);
      templates.set(ordinal, template);
    }
    return template;
  };
}

/** Compiles what a creative shows: its own content over the published content of its item (null: it has none). */
export function compileCreative(row: CreativeTexts, item: SnapshotContentItem | null): Template {
  const { content, personalization, templateType } = row;
  if (item === null) return compileTemplate(content, personalization, templateType);
  const own = ownContent(content);
  return compileTemplate(shownContent(row, item), personalization, templateType, item.personalization, {
    markup: {
      ...(item.html === undefined || 'html' in own ? {} : { html: item.html }),
      ...(item.text === undefined || 'text' in own ? {} : { text: item.text }),
    },
  });
}

/** The part of a creative that its texts are compiled from. */
export type CreativeTexts = Pick<SnapshotCreative, 'content' | 'personalization' | 'templateType'>;

interface Contents<V> {
  readonly content: { readonly [key: string]: V };
}

/**
 * Returns the content that a creative shows: the published content of its item, overlaid with its own keys
 * (docs/design/api-catalogue.md 7).
 */
export function shownContent<V>({ content }: Contents<V>, item: Contents<V> | null): Contents<V>['content'] {
  return item === null ? content : { ...item.content, ...ownContent(content) };
}

/** The keys of a creative that are not empty: those that beat its content item. */
function ownContent<V>(content: Contents<V>['content']): Contents<V>['content'] {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === '';
}
