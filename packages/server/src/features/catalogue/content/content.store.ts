import { type ContentVersion, contentResource, type StoredBlock } from '@arbiter/contract';
import type { SnapshotContentItem } from '@arbiter/engine';
import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../catalogue-records/index.ts';
import type { ContentParts } from './merge.rules.ts';
import type { ShownContent } from './shown.rules.ts';

/**
 * A template that went into a published version. `version` is null if the template was never published, so its working
 * copy was used.
 */
export interface TemplateUse {
  readonly id: string;
  readonly version: number | null;
}

interface StoredContent {
  blocks: StoredBlock[];
  publishedFrom: readonly TemplateUse[];
}

/** A row of `content`. */
export type ContentRecord = RecordRow<typeof contentResource, StoredContent>;

export const contentSpec = recordSpec<typeof contentResource, StoredContent>(contentResource);

interface StoredContentVersion {
  kind: ContentVersion['kind'];
  content: Record<string, unknown>;
  blocks: StoredBlock[];
  personalization: Record<string, unknown>;
  merged: ContentVersion['merged'];
  shown: ShownContent | null;
}

const versions = table<'content_versions', StoredContentVersion>('content_versions');

const versionColumns = columns(versions, [
  'id',
  'contentItemId',
  'version',
  'kind',
  'content',
  'blocks',
  'personalization',
  'merged',
  'changeNote',
  'changedBy',
  'createdAt',
]);

/** A row of `content_versions`. */
export type VersionRow = RowOf<typeof versionColumns>;

/** What a new version records besides the item's own parts. */
export interface NewVersion {
  readonly kind: ContentVersion['kind'];
  readonly changeNote: string | null;
  /** Both are set only for a publication. */
  readonly merged?: ContentParts;
  readonly shown?: ShownContent;
}

/** Stores the item's parts as a version. The item's row is locked or new, so no version number is used twice. */
export async function insertVersion(tx: Tx, row: ContentRecord, version: NewVersion): Promise<void> {
  await tx.query(
    `insert into arbiter.content_versions (tenant_id, id, content_item_id, version, kind, content, blocks, personalization,
       merged, shown, change_note, changed_by, created_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9::jsonb, $10::jsonb, $11, $12, $13)`,
    [
      tx.tenantId,
      newId(),
      row.id,
      row.version,
      version.kind,
      JSON.stringify(row.content),
      JSON.stringify(row.blocks),
      JSON.stringify(row.personalization),
      version.merged === undefined ? null : JSON.stringify(version.merged),
      version.shown === undefined ? null : JSON.stringify(version.shown),
      version.changeNote,
      tx.actor.name,
      tx.now,
    ],
  );
}

/** Returns the newest versions of an item, newest first. */
export async function selectVersions(tx: Tx, itemId: string, limit: number): Promise<VersionRow[]> {
  return select(
    tx,
    versionColumns,
    'from arbiter.content_versions where tenant_id = $1 and content_item_id = $2 order by version desc limit $3',
    [tx.tenantId, itemId, limit],
  );
}

/** Returns one version of an item, or null. */
export async function selectVersion(tx: Tx, itemId: string, version: number): Promise<VersionRow | null> {
  const [row] = await select(
    tx,
    versionColumns,
    'from arbiter.content_versions where tenant_id = $1 and content_item_id = $2 and version = $3',
    [tx.tenantId, itemId, version],
  );
  return row ?? null;
}

/**
 * Returns the last published version of each item: null if it was never published, absent if the item doesn't exist.
 */
export async function selectPublishedVersions(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await select(
    tx,
    columns(contentSpec, ['id', 'publishedVersion']),
    'from arbiter.content where tenant_id = $1 and id = any($2::uuid[])',
    [tx.tenantId, ids],
  );
  return new Map(rows.map(({ id, publishedVersion }) => [id, publishedVersion]));
}

/**
 * Serializes template assignments per tenant until the transaction ends, so that two concurrent changes can't close a
 * cycle. Take it before locking any row (docs/design/quality.md T9).
 */
export async function lockTemplates(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('arbiter.content_templates:' || $1, 0))`, [
    tx.tenantId,
  ]);
}

/** Returns the item's ancestors, nearest first, and the number of levels below it. Stops where a cycle closes. */
export async function selectFamily(
  tx: Tx,
  parentId: string,
  itemId: string | null,
): Promise<{ readonly above: readonly string[]; readonly levelsBelow: number }> {
  const above = await tx.query<{ id: string }>(
    `with recursive line (id, parent, level) as (
       select id, parent_template_id, 1 from arbiter.content where tenant_id = $1 and id = $2
       union all
       select c.id, c.parent_template_id, l.level + 1 from line l
         join arbiter.content c on c.tenant_id = $1 and c.id = l.parent where l.level < 20)
     select id from line order by level`,
    [tx.tenantId, parentId],
  );
  const [below] = await tx.query<{ levels: number }>(
    `with recursive line (id, level) as (
       select $2::uuid, 0
       union all
       select c.id, l.level + 1 from line l
         join arbiter.content c on c.tenant_id = $1 and c.parent_template_id = l.id where l.level < 20)
     select max(level)::int as levels from line`,
    [tx.tenantId, itemId],
  );
  return { above: above.map(({ id }) => id), levelsBelow: itemId === null ? 0 : (below?.levels ?? 0) };
}

/** A published version that decisions may show. */
export interface PublishedName {
  readonly id: string;
  readonly version: number;
}

/** Returns the last published version of every item that isn't archived, by id. */
export async function publishedNames(tx: Tx): Promise<PublishedName[]> {
  return tx.query(
    `select id, published_version as version from arbiter.content
      where tenant_id = $1 and status <> 'archived' and published_version is not null order by id`,
    [tx.tenantId],
  );
}

/** Returns these published versions in the engine's form. */
export async function readPublished(tx: Tx, names: readonly PublishedName[]): Promise<SnapshotContentItem[]> {
  if (names.length === 0) return [];
  const rows = await tx.query<{ id: string; shown: ShownContent }>(
    `select v.content_item_id as id, v.shown from unnest($2::uuid[], $3::int[]) as n (id, version)
       join arbiter.content_versions v on v.tenant_id = $1 and v.content_item_id = n.id and v.version = n.version
      where v.shown is not null`,
    [tx.tenantId, names.map(({ id }) => id), names.map(({ version }) => version)],
  );
  return rows.map(({ id, shown }) => ({ id, ...shown }));
}
