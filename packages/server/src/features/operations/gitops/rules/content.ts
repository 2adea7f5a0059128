import type { Json } from '@arbiter/engine';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { isObject } from '../../../../platform/json.ts';
import { type Members, membersOf, sameJson } from '../json.ts';
import { filledBlocks } from './block-ids.ts';
import type { CurrentRecord, KindRules, RuleContext, WantedBody } from './kind-rules.ts';

/** Content of a content item's version, with defaults for what a file leaves out. */
const emptyParts = { content: {}, blocks: [], personalization: {} };
const properties = ['name', 'description', 'content', 'blocks', 'personalization', 'parentTemplateId'] as const;

const partsOf = ({ content, blocks, personalization }: Members): Members => ({
  content: content ?? emptyParts.content,
  blocks: blocks ?? emptyParts.blocks,
  personalization: personalization ?? emptyParts.personalization,
});

/** Parts as a file has them. */
const shortParts = (parts: Members): Members =>
  Object.fromEntries(Object.entries(parts).filter(([name, value]) => !sameJson(Reflect.get(emptyParts, name), value)));

/** Returns the own parts of the version that decisions show, or null if there isn't one. */
function publishedParts({ publishedVersion, versions }: Members): Members | null {
  if (typeof publishedVersion !== 'number') return null;
  const listed = Array.isArray(versions) ? versions.map((version: Json) => membersOf(version)) : [];
  const found = listed.find(({ version }) => version === publishedVersion);
  if (found === undefined) throw new Error('an item is read with the version that is published');
  return partsOf(found);
}

/** Returns what the file wants published: its own version, or the working copy. Null: nothing. */
function wantedParts(values: Members): Members | null {
  if (!Object.hasOwn(values, 'published')) return partsOf(values);
  return values.published === null ? null : partsOf(membersOf(values.published));
}

const step = async (verb: 'submit' | 'approve' | 'publish', id: string, context: RuleContext): Promise<void> => {
  await context.call(`content.${verb}`, { params: { id }, body: {} });
};

const put = async (id: string, body: Members, context: RuleContext): Promise<void> => {
  await context.call('content.updateById', { params: { id }, body });
};

/** Problems of the parts to publish are problems of `published`, where the file has it. */
async function atPublished<T>(values: Members, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !Object.hasOwn(values, 'published')) throw error;
    const { code, detail, cause } = error;
    const errors = error.errors.map((entry) =>
      /^\/(content|blocks|personalization)(\/|$)/.test(entry.path)
        ? { ...entry, path: `/published${entry.path}` }
        : entry,
    );
    throw new AppError(code, { ...(detail === undefined ? {} : { detail }), errors, cause });
  }
}

/** The archived item with this name, which nothing else can have. */
async function archivedItem(name: Json | undefined, { call }: RuleContext): Promise<Members | null> {
  let cursor: Json | undefined;
  do {
    const query = { status: 'archived', search: String(name), limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = membersOf(await call('content.list', { query }));
    const data = Array.isArray(page.data) ? page.data.map((item: Json) => membersOf(item)) : [];
    const found = data.find((item) => item.name === name);
    if (found !== undefined) return found;
    cursor = membersOf(page.pagination).nextCursor ?? undefined;
  } while (cursor !== undefined);
  return null;
}

/**
 * Makes the wanted content the working copy, and moves it through the workflow as far as this person can: `await` when
 * only another person's approval is missing, `published` when it got there.
 */
async function advance(
  { id, record }: CurrentRecord,
  wanted: Members,
  context: RuleContext,
): Promise<'published' | 'update' | 'await'> {
  const changes = Object.entries(wanted).filter(([name, value]) => !sameJson(record[name] ?? null, value));
  if (changes.length > 0) {
    await put(id, Object.fromEntries(changes), context);
    await step('submit', id, context);
    return 'update';
  }
  if (record.status === 'draft') await step('submit', id, context);
  if (record.status === 'draft' || (record.status === 'in_review' && record.submittedBy === context.person)) {
    return 'await';
  }
  if (record.status === 'in_review') await step('approve', id, context);
  if (record.status !== 'published') await step('publish', id, context);
  return 'published';
}

async function update(current: CurrentRecord, wanted: WantedBody, names: readonly string[], context: RuleContext) {
  const { values, defaults } = wanted;
  const { id, record } = current;
  const copy = Object.fromEntries(
    properties.map((name): [string, Json] => [
      name,
      names.includes(name) ? (values[name] ?? defaults.get(name) ?? null) : (record[name] ?? null),
    ]),
  );
  const target = wantedParts(values);
  const shown = publishedParts(record);
  if (target === null && shown !== null) {
    throw invalid('/published', "is null, but publishing can't be undone; archive the content item");
  }
  const fixed = names.filter((name) => name === 'channelType' || name === 'isTemplate');
  if (fixed.length > 0) {
    const refused = fixed.map((name): [string, Json] => [name, values[name] ?? defaults.get(name) ?? null]);
    await put(id, Object.fromEntries(refused), context);
  }
  if (Object.hasOwn(values, 'published') && sameJson(target, shown)) {
    // The working copy is a draft, separate from what's published.
    await put(id, copy, context);
    return 'update' as const;
  }
  const reached = await atPublished(values, () => advance(current, { ...copy, ...target }, context));
  if (reached !== 'published') return reached;
  if (Object.hasOwn(values, 'published')) await put(id, copy, context);
  return 'update' as const;
}

/**
 * Content items (docs/design/api-settled.md 4). A file contains the working copy. Without `published`, that's also what
 * to publish; otherwise `published` has the own parts of the last published version, or null without one. A second
 * person who applies the same files approves and publishes. An archived item counts as deleted.
 */
export const contentRules: KindRules = {
  whole: true,
  hides: ['changeNote'],
  // Blocks stay as they are: `props: null` removes a block of the template.
  adds: ['blocks', 'published'],
  changes: ['published'],
  isConfiguration: (record) => record.status !== 'archived',
  toFile(body, record) {
    if (record.status === 'published') return body;
    const parts = publishedParts(record);
    return { ...body, published: parts === null ? null : shortParts(parts) };
  },
  normalise(body) {
    const filled = (parts: Members): Members =>
      Array.isArray(parts.blocks) ? { ...parts, blocks: filledBlocks(parts.blocks) } : parts;
    const { published } = body;
    return isObject(published)
      ? { ...filled(body), published: shortParts(filled(membersOf(published))) }
      : filled(body);
  },
  problems({ published }) {
    if (published === undefined || published === null) return [];
    const message = 'must be null, or an object of content, blocks and personalization';
    const isParts = isObject(published) && Object.keys(published).every((name) => Object.hasOwn(emptyParts, name));
    return isParts ? [] : [{ pointer: '/published', message }];
  },
  bodiesInside: ({ published }) => new Map(isObject(published) ? [['/published', membersOf(published)]] : []),
  remark: (record) =>
    record.status === 'in_review' ? 'needs another person to approve it by applying the same files' : null,
  async create({ values, defaults }, context) {
    const { published: _published, ...copy } = values;
    const target = wantedParts(values);
    const body = { ...copy, ...target };
    const archived = await archivedItem(values.name, context);
    const id = await atPublished(values, async () => {
      if (archived === null) return String(membersOf(await context.call('content.create', { body })).id);
      const own = String(archived.id);
      await context.call('content.revert', { params: { id: own, version: String(archived.version) } });
      const usual = [...defaults].filter(([name]) => properties.some((property) => property === name));
      await put(own, { ...Object.fromEntries(usual), ...body }, context);
      return own;
    });
    if (target !== null) await step('submit', id, context);
    return id;
  },
  update,
};
