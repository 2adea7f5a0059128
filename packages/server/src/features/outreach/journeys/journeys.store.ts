import { type JourneyDefinition, journeyResource } from '@arbiter/contract';
import { columns, type RowOf, select } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { isUuid } from '../../../platform/ids.ts';
import { type RecordRow, recordSpec } from '../../catalogue/catalogue-records/index.ts';

type StoredJourney = { definition: JourneyDefinition; entryCondition: Record<string, unknown> | null };

export type JourneyRow = RecordRow<typeof journeyResource, StoredJourney>;

export const journeySpec = recordSpec<typeof journeyResource, StoredJourney>(journeyResource);

const running = columns(journeySpec, [
  'id',
  'version',
  'status',
  'definition',
  'entryCondition',
  'maxDurationDays',
  'deletedAt',
]);

/** What enrolling and steps read of a journey. */
export type RunningJourney = RowOf<typeof running>;

/** Returns the journey, even if it was deleted. */
export async function selectJourney(tx: Tx, id: string): Promise<RunningJourney | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await select(tx, running, 'from arbiter.journeys where tenant_id = $1 and id = $2', [tx.tenantId, id]);
  return row;
}

/** Active journeys whose entry waits for events of this type, or for customers who enter this segment. */
export async function selectJourneysEnteredBy(
  tx: Tx,
  event: { readonly type: string; readonly segmentId: string | null },
): Promise<RunningJourney[]> {
  return select(
    tx,
    running,
    `from arbiter.journeys where tenant_id = $1 and status = 'active' and deleted_at is null
      and jsonb_path_exists(definition,
        '$.nodes[*] ? (@.type == "entry_trigger" && (@.config.eventType == $type || @.config.segmentId == $segment))',
        jsonb_build_object('type', $2::text, 'segment', $3::text))
      order by id`,
    [tx.tenantId, event.type, event.segmentId],
  );
}

/** Which of these types of events an active journey or a running wait reacts to. */
export async function selectAwaited(tx: Tx, types: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ type: string }>(
    `select t.type from unnest($2::text[]) as t (type) where exists (
         select from arbiter.journey_enrollments e where e.tenant_id = $1 and e.until_event = t.type)
       or exists (
         select from arbiter.journeys j where j.tenant_id = $1 and j.status = 'active' and j.deleted_at is null
           and jsonb_path_exists(j.definition, '$.nodes[*].config ? (@.eventType == $type || @.untilEvent == $type)',
             jsonb_build_object('type', t.type)))
       or (t.type = 'segment.entered' and exists (
         select from arbiter.journeys j where j.tenant_id = $1 and j.status = 'active' and j.deleted_at is null
           and jsonb_path_exists(j.definition, '$.nodes[*] ? (@.type == "entry_trigger").config.segmentId')))`,
    [tx.tenantId, types],
  );
  return rows.map(({ type }) => type);
}

/** Ids of the segments that active journeys wait for. */
export async function selectWatchedSegments(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select distinct lower(segment #>> '{}') as id from arbiter.journeys,
        jsonb_path_query(definition, '$.nodes[*] ? (@.type == "entry_trigger").config.segmentId') segment
      where tenant_id = $1 and status = 'active' and deleted_at is null`,
    [tx.tenantId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Journeys, not deleted, with this text as a value in their definition: the id of a segment, channel or schema. */
export async function journeysNaming(tx: Tx, value: string): Promise<{ readonly id: string; readonly name: string }[]> {
  return select(
    tx,
    columns(journeySpec, ['id', 'name']),
    `from arbiter.journeys where tenant_id = $1 and deleted_at is null
      and jsonb_path_exists(definition, '$.** ? (@ == $value)', jsonb_build_object('value', $2::text))
      order by name, id`,
    [tx.tenantId, value],
  );
}
