import type { SnapshotCreative } from '../snapshot.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import type { Template } from '../templates/template.ts';
import type { PlanCreative } from './catalogue.ts';

/** Compiled templates that a plan keeps: they are several times larger than the creatives they are made of. */
const mostKept = 1024;

/**
 * Paths by row: most of the time of compiling thousands of creatives. The next version of the catalogue comes with the
 * same rows but for those that changed. Rows are never written to, so an entry stays true as long as it lives.
 */
const known = new WeakMap<SnapshotCreative, Template['paths']>();

/** The paths that a creative's content can read. */
export function templatePaths(row: SnapshotCreative): Template['paths'] {
  let paths = known.get(row);
  if (paths === undefined) {
    paths = share(compile(row).paths);
    known.set(row, paths);
  }
  return paths;
}

/** Thousands of creatives read the same few paths. */
const shared = new Map<string, Template['paths']>();
const mostShared = 256;

function share(paths: Template['paths']): Template['paths'] {
  const name = JSON.stringify(paths);
  const found = shared.get(name);
  if (found !== undefined) return found;
  if (shared.size >= mostShared) shared.clear();
  shared.set(name, paths);
  return paths;
}

/**
 * Templates of a plan by creative, compiled when they are first rendered. A decision renders a few of thousands, and
 * compiling one takes microseconds; so the plan keeps those that are in use and starts anew when they become too many.
 */
export function createTemplates(): (creative: PlanCreative) => Template {
  const kept = new Map<number, Template>();
  return ({ ordinal, row }) => {
    let template = kept.get(ordinal);
    if (template === undefined) {
      if (kept.size >= mostKept) kept.clear();
      template = compile(row);
      kept.set(ordinal, template);
    }
    return template;
  };
}

function compile(row: SnapshotCreative): Template {
  return compileTemplate(row.content, row.personalization, row.templateType);
}
