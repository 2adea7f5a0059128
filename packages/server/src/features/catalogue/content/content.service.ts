import type { ContentCreate, ContentItem, ContentUpdate, ContentVersion } from '@arbiter/contract';
import type { SnapshotContentItem } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid, refuseProblems } from '../../../platform/app-error.ts';
import { readSettings } from '../../identity/settings/index.ts';
import {
  createRecord,
  getRecord,
  lockRecord,
  type RecordChange,
  readRelated,
  requireLive,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { blockProblems, blockRemarks, withIds } from './blocks.rules.ts';
import { contentProblems, notIn, personalizationProblems } from './content.rules.ts';
import {
  type ContentRecord,
  contentSpec,
  insertVersion,
  lockTemplates,
  readPublished,
  selectPublishedVersions,
  selectVersion,
  selectVersions,
  type VersionRow,
} from './content.store.ts';
import { checkParent } from './content.templates.ts';

const maxVersionsShown = 20;
const maxVersionsListed = 100;

/** Throws 403 `feature_disabled` if content management is off for the tenant (docs/design/api-access.md 6). */
export async function assertEnabled(tx: Tx): Promise<void> {
  if ((await readSettings(tx)).enableContentManagement) return;
  throw new AppError('feature_disabled', {
    detail: 'Content management is disabled. Enable it with the setting enableContentManagement.',
  });
}

type Fields = Omit<ContentUpdate, 'id' | 'rowVersion'>;

/** Checks the fields on their own. `hasParent`: whether the item has a parent after the write. Throws 400. */
export function checkFields(
  tx: Tx,
  fields: Pick<Fields, 'content' | 'blocks' | 'personalization'>,
  hasParent: boolean,
): void {
  const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
  refuseProblems([
    ...(fields.content === undefined ? [] : contentProblems(fields.content, bytes)),
    ...(fields.blocks === undefined ? [] : blockProblems(fields.blocks, { hasParent, bytes })),
    ...(fields.personalization === undefined ? [] : personalizationProblems(fields.personalization, hasParent)),
  ]);
  if (fields.blocks !== undefined) tx.remarks.push(...blockRemarks(fields.blocks));
}

/** Creates an item in draft, with its first version. */
export async function createContent(tx: Tx, body: ContentCreate): Promise<ContentRecord> {
  await assertEnabled(tx);
  const { blocks, ...fields } = body;
  const parentId = body.parentTemplateId ?? null;
  checkFields(tx, body, parentId !== null);
  if (parentId !== null) {
    await lockTemplates(tx);
    await checkParent(tx, parentId, null);
  }
  const row = await createRecord(tx, contentSpec, { ...fields, blocks: withIds(blocks ?? []) });
  await insertVersion(tx, row, { kind: 'create', changeNote: null });
  return row;
}

/** Review fields of a new working copy. */
export const unreviewed = {
  status: 'draft',
  submittedBy: null,
  submittedAt: null,
  approvedBy: null,
  approvedAt: null,
} as const;

/** Updates the supplied fields as a new draft version. The published version stays published. */
export async function changeContent(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  { changeNote, ...fields }: Fields,
): Promise<ContentRecord> {
  await assertEnabled(tx);
  if (fields.parentTemplateId !== undefined) await lockTemplates(tx);
  const row = await updateRecord(tx, contentSpec, id, {
    rowVersion,
    change: async (current): Promise<RecordChange<ContentRecord>> => {
      if (current.status === 'archived') throw notIn(current.status, 'be changed');
      refuseFixed(current, fields);
      const { blocks, ...others } = fields;
      const parentId = fields.parentTemplateId === undefined ? current.parentTemplateId : fields.parentTemplateId;
      checkFields(tx, fields, parentId !== null);
      if (parentId !== null && parentId.toLowerCase() !== current.parentTemplateId) {
        await checkParent(tx, parentId, current.id);
      }
      return { ...others, ...unreviewed, ...(blocks === undefined ? {} : { blocks: withIds(blocks) }) };
    },
  });
  await insertVersion(tx, row, { kind: 'update', changeNote: changeNote ?? null });
  return row;
}

function refuseFixed(current: ContentRecord, { channelType, isTemplate }: Fields): void {
  refuseProblems([
    ...(channelType === undefined || channelType === current.channelType
      ? []
      : [{ path: '/channelType', message: `can't be changed; it is ${current.channelType}` }]),
    ...(isTemplate === undefined || isTemplate === current.isTemplate
      ? []
      : [{ path: '/isTemplate', message: `can't be changed; it is ${current.isTemplate}` }]),
  ]);
}

/** Archives an item. Does nothing if it is already archived. Throws 404 if it doesn't exist. */
export async function archiveContent(tx: Tx, id: string): Promise<void> {
  await assertEnabled(tx);
  const { status } = await lockRecord(tx, contentSpec, id);
  if (status === 'archived') return;
  await updateRecord(tx, contentSpec, id, {
    action: 'soft_delete',
    keepsVersion: true,
    change: () => ({ ...unreviewed, status: 'archived' as const }),
  });
}

/**
 * Makes an older version's own parts the working copy, as a new version. Throws 404 if the version doesn't exist, 409
 * if it isn't older. `mayBeCurrent` allows bringing back an archived item unchanged.
 */
export async function revertContent(
  tx: Tx,
  id: string,
  wanted: string,
  { mayBeCurrent = false }: { readonly mayBeCurrent?: boolean } = {},
): Promise<ContentRecord> {
  await assertEnabled(tx);
  const version = /^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : null;
  const row = await updateRecord(tx, contentSpec, id, {
    action: 'revert',
    change: async (current) => {
      const isOlder = version === null || version < current.version;
      const isBack = mayBeCurrent && current.status === 'archived' && version === current.version;
      if (!isOlder && !isBack) {
        throw new AppError('invalid_transition', {
          detail: `The content item is at version ${current.version}; version ${version} is not older.`,
        });
      }
      const old = version === null ? null : await selectVersion(tx, current.id, version);
      if (old === null) throw new AppError('not_found', { detail: 'The content item has no such version.' });
      const { content, blocks, personalization } = old;
      return { content, blocks, personalization, ...unreviewed };
    },
  });
  await insertVersion(tx, row, { kind: 'revert', changeNote: `Reverted to version ${version}` });
  return row;
}

const shownVersion = (row: VersionRow): ContentVersion => ({ ...row, createdAt: row.createdAt.toISOString() });

/** Returns an item's versions, newest first, at most 100. */
export async function readVersions(tx: Tx, id: string): Promise<ContentVersion[]> {
  const item = await getRecord(tx, contentSpec, id);
  return (await selectVersions(tx, item.id, maxVersionsListed)).map(shownVersion);
}

/** Returns the newest versions of an item, plus the published one if it is older. */
async function shownVersions(tx: Tx, { id, publishedVersion }: ContentRecord): Promise<VersionRow[]> {
  const newest = await selectVersions(tx, id, maxVersionsShown);
  if (publishedVersion === null || newest.some(({ version }) => version === publishedVersion)) return newest;
  const published = await selectVersion(tx, id, publishedVersion);
  return published === null ? newest : [...newest, published];
}

/** Shows items with their templates. A single item also has its newest versions. */
export async function showContent(
  tx: Tx,
  rows: readonly ContentRecord[],
  view: 'one' | 'list',
): Promise<ContentItem[]> {
  const parents = await readRelated(
    tx,
    'contentItem',
    rows.map(({ parentTemplateId }) => parentTemplateId),
    ['name'],
  );
  const used = rows.flatMap(({ publishedFrom }) => publishedFrom.map(({ id }) => id));
  const published = await selectPublishedVersions(tx, used);
  const [only] = rows;
  const versions = view === 'list' || only === undefined ? null : await shownVersions(tx, only);
  return rows.map((row) => {
    const { publishedFrom, ...wire } = toWire(row);
    const parent = row.parentTemplateId === null ? undefined : parents.get(row.parentTemplateId);
    return {
      ...wire,
      source: null,
      parentTemplate: parent === undefined ? null : { id: parent.id, name: parent.name },
      parentOutdated: publishedFrom.some(({ id, version }) => (published.get(id) ?? null) !== version),
      ...(versions === null ? {} : { versions: versions.map(shownVersion) }),
    };
  });
}

/** Shows one item. */
export async function showContentItem(tx: Tx, row: ContentRecord): Promise<ContentItem> {
  const [item] = await showContent(tx, [row], 'one');
  if (item === undefined) throw new Error('each row has one response');
  return item;
}

/** Throws 400 unless a creative may take its content from this item. `path`: JSON Pointer into the body. */
export async function requireContentItem(tx: Tx, id: string, path: string): Promise<void> {
  const { status } = await requireLive(tx, 'contentItem', id, path, ['status']);
  if (status === 'archived') throw invalid(path, 'must not be an archived content item');
}

/**
 * Returns what decisions show of an item now, with tokens unreplaced. Null if the item isn't published, is archived or
 * doesn't exist.
 */
export async function publishedContent(tx: Tx, id: string): Promise<SnapshotContentItem | null> {
  const item = await getRecord(tx, contentSpec, id);
  if (item.status === 'archived' || item.publishedVersion === null) return null;
  const [published] = await readPublished(tx, [{ id: item.id, version: item.publishedVersion }]);
  return published ?? null;
}
