import { emptyScope } from '../formula/scope.ts';
import { isObject } from '../json-object.ts';
import type { FormulaScope } from '../plan/formula.ts';
import type { Json, JsonObject, MarkupPart, PersonalizationEntry } from '../plan/snapshot.ts';
import type { Template } from '../plan/template.ts';
import { compileText, joined, maxInserted, type TextCompiler } from './compile-text.ts';
import { compileMarkup } from './markup.ts';
import { entryValue, printed, type ReadValue, type ValueSources } from './token-value.ts';

/** Renders one value; undefined drops its key. */
type Render = (scope: FormulaScope, computed: JsonObject) => Json | undefined;
/** A value that is the same for everyone, or one that must be rendered. */
type Part = { readonly constant: Json | undefined } | { readonly render: Render };

type TemplateCompiler = TextCompiler;

/** What a template is compiled from, besides its content. */
export interface TemplateOptions {
  /** Texts of the content that were parsed at publication. They come after its own keys. */
  readonly markup?: { readonly html?: readonly MarkupPart[]; readonly text?: readonly MarkupPart[] };
}

/**
 * Compiles the content of a creative (docs/design/api-catalogue.md 3.4). `itemPersonalization`: that of its content item,
 * `{ <variable>: { source, fallback } }` or `{ <variable>: "<source>" }`. Links that are not allowed are dropped.
 */
export function compileTemplate(
  content: JsonObject,
  personalization: readonly PersonalizationEntry[],
  templateType: string,
  itemPersonalization: JsonObject | null = null,
  { markup = {} }: TemplateOptions = {},
): Template {
  const paths = new Map<string, readonly string[]>();
  const entries = [byVariable(personalization), byVariable(itemEntries(itemPersonalization))];
  const sources: ValueSources = {
    entries,
    note(path) {
      paths.set(path.join('.'), path);
    },
  };
  const compiler: TemplateCompiler = {
    templateType,
    sources,
    tokens: new Map(),
    bare: new Set(),
    room: { left: maxInserted },
  };
  const body = withMarkup(compiler, compileObject(compiler, content), markup);
  const fixed = 'constant' in body && isObject(body.constant) ? frozen(body.constant) : null;
  const variables = [...new Map([...entries].reverse().flatMap((map) => [...map])).values()].map(
    (entry) => [entry.variable, entryValue(sources, entry), (entry.source ?? '') === ''] as const,
  );

  // Entries without a source are the same for everyone.
  const fixedValues = variables.every(([, , isFixed]) => isFixed)
    ? frozen(valuesFor(variables, blankScope, {}, Infinity))
    : null;

  return {
    paths: [...paths.values()],
    render(scope, computed) {
      if (fixed !== null) return fixed;
      compiler.room.left = maxInserted;
      const rendered = 'render' in body ? body.render(scope, computed) : undefined;
      return isObject(rendered) ? rendered : nothing;
    },
    variables: (scope, computed) => fixedValues ?? valuesFor(variables, scope, computed, maxInserted),
    missing(scope, computed) {
      return [...compiler.bare].filter((name) => {
        const read = compiler.tokens.get(name);
        return read === undefined || printed(read(scope, computed)) === null;
      });
    },
  };
}

type Variable = readonly [name: string, read: ReadValue, isFixed: boolean];

/** `room`: characters for all values together; one that no longer fits is null. */
function valuesFor(
  variables: readonly Variable[],
  scope: FormulaScope,
  computed: JsonObject,
  room: number,
): JsonObject {
  if (variables.length === 0) return nothing;
  const values: Record<string, Json> = {};
  let left = room;
  for (const [name, read] of variables) {
    const value = toJson(read(scope, computed));
    const length = lengthOf(value);
    const fits = length <= left;
    if (fits) left -= length;
    setOwn(values, name, fits ? value : null);
  }
  return values;
}

function lengthOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 0;
}

const nothing: JsonObject = Object.freeze({});

/** Freezes a value in depth, in place: the same one is handed out by every decision. */
function frozen<V extends Json>(value: V): V {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values<Json>(value)) frozen(member);
  return Object.freeze(value);
}

function byVariable(entries: readonly PersonalizationEntry[]): ReadonlyMap<string, PersonalizationEntry> {
  return new Map(entries.map((entry) => [entry.variable, entry]));
}

function itemEntries(personalization: JsonObject | null): PersonalizationEntry[] {
  return Object.entries(personalization ?? {}).map(([variable, value]) => {
    if (typeof value === 'string') return { variable, source: value };
    const { source, fallback } = isObject(value) ? value : {};
    return { variable, source: typeof source === 'string' ? source : null, fallback: fallback ?? null };
  });
}

/** Values are JSON: profile, attributes and computed values are. */
function toJson(value: unknown): Json {
  return value === undefined ? null : (value as Json);
}

/** Sets an own property, also one named `__proto__`. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function compilePart(compiler: TemplateCompiler, key: string, value: Json): Part {
  if (typeof value === 'string') return compileText(compiler, key, value);
  if (Array.isArray(value)) return compileArray(compiler, key, value);
  return isObject(value) ? compileObject(compiler, value) : { constant: value };
}

function compileObject(compiler: TemplateCompiler, value: JsonObject): Part {
  const members = Object.entries(value).map(([key, member]) => ({
    key,
    member,
    part: compilePart(compiler, key, member),
  }));
  if (members.every(({ part, member }) => 'constant' in part && part.constant === member)) return { constant: value };
  const render: Render = (scope, computed) => {
    const rendered: Record<string, Json> = {};
    for (const { key, part } of members) {
      const member = 'constant' in part ? part.constant : part.render(scope, computed);
      if (member !== undefined) setOwn(rendered, key, member);
    }
    return rendered;
  };
  return settled(members, render);
}

function compileArray(compiler: TemplateCompiler, key: string, items: readonly Json[]): Part {
  const members = items.map((member) => ({ member, part: compilePart(compiler, key, member) }));
  if (members.every(({ part, member }) => 'constant' in part && part.constant === member)) return { constant: items };
  const render: Render = (scope, computed) =>
    members
      .map(({ part }) => ('constant' in part ? part.constant : part.render(scope, computed)))
      .filter((item) => item !== undefined);
  return settled(members, render);
}

/** Rendered now when nothing in it depends on the decision. */
function settled(members: readonly { readonly part: Part }[], render: Render): Part {
  return members.every(({ part }) => 'constant' in part) ? { constant: render(blankScope, {}) } : { render };
}

/** For what reads nothing of a decision. */
const blankScope = emptyScope();

/** The content with the texts that were taken apart. */
function withMarkup(
  compiler: TemplateCompiler,
  body: Part,
  { html, text }: NonNullable<TemplateOptions['markup']>,
): Part {
  if (html === undefined && text === undefined) return body;
  const texts = [
    ...(html === undefined ? [] : [{ key: 'html', pieces: compileMarkup(compiler, html, 'html') }]),
    ...(text === undefined ? [] : [{ key: 'text', pieces: compileMarkup(compiler, text, 'text') }]),
  ];
  const render: Render = (scope, computed) => {
    const rendered = 'constant' in body ? body.constant : body.render(scope, computed);
    const added = texts.map(({ key, pieces }) => [key, joined(pieces, scope, computed)] as const);
    return { ...(isObject(rendered) ? rendered : nothing), ...Object.fromEntries(added) };
  };
  const isFixed = 'constant' in body && texts.every(({ pieces }) => pieces.every((piece) => typeof piece === 'string'));
  return isFixed ? { constant: render(blankScope, {}) } : { render };
}
