import type { Tx } from '../../../db/index.ts';
import { newId } from '../../../platform/ids.ts';
import { readRelated } from '../../catalogue/catalogue-records/index.ts';
import { snapshotPolicies } from '../../catalogue/contact-policies/index.ts';
import { readOutcomeTypes } from '../../catalogue/outcomes/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  type CustomerKeys,
  ensureStates,
  type KeyedHash,
  lockStatesInOrder,
  readErasures,
} from '../customer-states/index.ts';
import { outcomePoliciesOf } from '../plans/index.ts';
import { announceBooking, pricesOf } from '../volumes/index.ts';
import { writeEvents } from './effects.service.ts';
import { findImported, noteImported } from './import-keys.store.ts';
import type { ImportedEvent, LineError } from './line.rules.ts';
import type { ResolvedEvent } from './resolved-event.ts';

export interface BatchPorts {
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
  readonly keyHash: KeyedHash;
}

/** What happened to the lines of a batch. */
export interface BatchResult {
  readonly imported: number;
  readonly duplicates: number;
  readonly rejected: readonly LineError[];
}

export interface PreparedBatch {
  readonly events: readonly ResolvedEvent[];
  readonly duplicates: number;
  readonly rejected: readonly LineError[];
}

/**
 * Looks up what the events name, in the catalogue as it is, deleted records included; leaves out duplicates and what is
 * refused; and makes the rows of customers that have none. To be committed before `writeBatch`, so that rows are only ever
 * waited for that are there for everyone.
 */
export async function prepareBatch(
  tx: Tx,
  ports: BatchPorts,
  events: readonly ImportedEvent[],
): Promise<PreparedBatch> {
  const { tenantId } = tx;
  const named = await readNamed(tx, events);
  const keys = new Map(events.map((event) => [event, ports.keyHash.all(tenantId, event.key)]));
  const known = new Set(await findImported(tx, [...keys.values()].flat()));
  const isErased = await erasuresOf(tx, ports, events);
  const resolved: ResolvedEvent[] = [];
  const rejected: LineError[] = [];
  let duplicates = 0;
  for (const event of events) {
    const [keyHash, ...otherHashes] = keys.get(event)!;
    const hashes = [keyHash!, ...otherHashes].map((hash) => hash.toString('hex'));
    if (hashes.some((hash) => known.has(hash))) {
      duplicates += 1;
      continue;
    }
    const found = resolveEvent(event, named, isErased);
    if ('code' in found) {
      rejected.push({ line: event.line, ...found });
      continue;
    }
    // Of two lines with one key the first counts, and only when it is accepted.
    for (const hash of hashes) known.add(hash);
    resolved.push({ event, keyHash: keyHash!, ...found });
  }
  const customers = [...new Set(resolved.map(({ event }) => event.customerId))];
  await ensureStates(
    tx,
    customers.map((customerId) => ({ customerId, ref: newId(), dataKey: ports.keys.create(tenantId) })),
  );
  return { events: resolved, duplicates, rejected };
}

type NamedRecords = Awaited<ReturnType<typeof readNamed>>;

/** Reads the records that events name. */
async function readNamed(tx: Tx, events: readonly ImportedEvent[]) {
  const outcomes = new Map((await readOutcomeTypes(tx)).map((outcome) => [outcome.key, outcome]));
  const creativeIds = events.map(({ creativeId }) => creativeId);
  const creatives = await readRelated(tx, 'creative', creativeIds, ['offerId', 'channelId', 'placementId']);
  // Events of a creative have its offer, channel and placement.
  const others = events.filter(({ creativeId }) => creativeId === null);
  const offerIds = [...others.map(({ offerId }) => offerId), ...[...creatives.values()].map(({ offerId }) => offerId)];
  const offers = await readRelated(tx, 'offer', offerIds, ['categoryId', 'budget']);
  const channelIds = others.map(({ channelId }) => channelId);
  const placementIds = others.map(({ placementId }) => placementId);
  const channels = await readRelated(tx, 'channel', channelIds, ['name']);
  const placements = await readRelated(tx, 'placement', placementIds, ['name']);
  return { outcomes, creatives, offers, channels, placements };
}

/** Returns what an event names, or why its line is rejected. */
function resolveEvent(
  event: ImportedEvent,
  { outcomes, creatives, offers, channels, placements }: NamedRecords,
  isErased: (event: ImportedEvent) => boolean,
): Omit<ResolvedEvent, 'event' | 'keyHash'> | Omit<LineError, 'line'> {
  const refusal = (path: string, code: string, message: string) => ({ path, code, message });
  const outcome = outcomes.get(event.outcome);
  const creative = event.creativeId === null ? null : creatives.get(event.creativeId);
  const offerId = event.creativeId === null ? event.offerId : (creative?.offerId ?? null);
  const offer = offerId === null ? undefined : offers.get(offerId);
  if (outcome === undefined) return refusal('/outcome', 'unknown_outcome', 'must be an active outcome type');
  if (creative === undefined) return refusal('/creativeId', 'reference_not_found', 'must be an existing creative');
  if (offer === undefined) return refusal('/offerId', 'reference_not_found', 'must be an existing offer');
  if (creative === null && event.channelId !== null && !channels.has(event.channelId))
    return refusal('/channelId', 'reference_not_found', 'must be an existing channel');
  if (creative === null && event.placementId !== null && !placements.has(event.placementId))
    return refusal('/placementId', 'reference_not_found', 'must be an existing placement');
  if (isErased(event)) return refusal('/timestamp', 'not_found', erasedSince);
  return {
    outcome,
    offerId: offer.id,
    categoryId: offer.categoryId,
    prices: pricesOf(offer.budget),
    creativeId: event.creativeId,
    channelId: creative === null ? event.channelId : creative.channelId,
    placementId: creative === null ? event.placementId : creative.placementId,
  };
}

const erasedSince = 'the customer has been erased since';

/** Tells which events are older than the erasure of their customer. */
async function erasuresOf(
  tx: Tx,
  { customerHash }: BatchPorts,
  events: readonly ImportedEvent[],
): Promise<(event: ImportedEvent) => boolean> {
  const customers = [...new Set(events.map(({ customerId }) => customerId))];
  const hashes = new Map(customers.map((id) => [id, customerHash.all(tx.tenantId, id)]));
  const erasures = await readErasures(tx, [...hashes.values()].flat());
  if (erasures.size === 0) return () => false;
  return ({ customerId, at }) =>
    (hashes.get(customerId) ?? []).some((hash) => {
      const erased = erasures.get(hash.toString('hex'));
      return erased !== undefined && at < erased.getTime();
    });
}

/** Writes a batch with all that it moves, and its audit row. `again`: a customer's row is gone; prepare the batch again. */
export async function writeBatch(
  tx: Tx,
  ports: BatchPorts,
  { events, duplicates, rejected }: PreparedBatch,
  importId: string,
): Promise<BatchResult | 'again'> {
  if (events.length === 0) return { imported: 0, duplicates, rejected };
  const customers = [...new Set(events.map(({ event }) => event.customerId))];
  await announceBooking(tx);
  const states = await lockStatesInOrder(tx, customers);
  if (states.size < customers.length) return 'again';
  // Under the locks, since a customer may have been erased while this waited.
  const isErased = await erasuresOf(
    tx,
    ports,
    events.map(({ event }) => event),
  );
  const late = events.filter(({ event }) => isErased(event));
  const taken = events.filter(({ event }) => !isErased(event));
  const noted = await noteImported(
    tx,
    taken.map(({ keyHash }) => keyHash),
  );
  const fresh = taken.filter(({ keyHash }) => noted.has(keyHash.toString('hex')));
  if (fresh.length > 0) {
    const policies = outcomePoliciesOf(await snapshotPolicies(tx));
    await recordAudit(tx, {
      action: 'import',
      entityType: 'interaction',
      entityId: importId,
      entityName: null,
      after: { imported: fresh.length, firstLine: fresh[0]!.event.line, lastLine: fresh.at(-1)!.event.line },
    });
    await writeEvents(tx, fresh, states, policies);
  }
  return {
    imported: fresh.length,
    duplicates: duplicates + taken.length - fresh.length,
    rejected: [
      ...rejected,
      ...late.map(({ event }) => ({
        line: event.line,
        path: '/timestamp',
        code: 'not_found',
        message: erasedSince,
      })),
    ],
  };
}
