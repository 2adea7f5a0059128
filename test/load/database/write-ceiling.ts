// The write ceiling: a bare loop that reads customers under their locks and commits the rows of decisions, in batches of the
// product's size, without HTTP, engine, sealing or building of anything. Rows and bytes are those of decisions that the
// product has stored in this database before; ids are new. What share of it the product reaches says what all the rest costs.
//   node test/load/database/write-ceiling.ts <url of the application role> <url of the admin role> <tenant id> <seconds>
import pg from 'pg';
import { createHotPath } from '../../../packages/server/src/db/index.ts';
import {
  lockStates,
  type StateRow,
  saveStates,
  stateRow,
} from '../../../packages/server/src/features/deciding/customer-states/states.store.ts';
import { insertShown, type ShownDecision } from '../../../packages/server/src/features/deciding/interactions/index.ts';
import { newestVersions } from '../../../packages/server/src/features/deciding/plans/index.ts';
import { itemId, newDecisionId } from '../../../packages/server/src/features/deciding/sealed-records/index.ts';
import { insertRecords } from '../../../packages/server/src/features/deciding/sealed-records/sealed-records.store.ts';
import { insertOutbox } from '../../../packages/server/src/features/operations/stream/index.ts';

const [url = '', adminUrl = '', tenantId = '', seconds = '10'] = process.argv.slice(2);
/** As the product's batcher (features/decisions/decisions.service.ts). */
const batchSize = 64;
const inFlight = 2;

const admin = new pg.Client({ connectionString: adminUrl });
await admin.connect();
const read = async (text: string) => (await admin.query({ text, values: [tenantId] })).rows;
const records = await read(
  `select d.*, s.customer_id from arbiter.decisions d
   join arbiter.customer_states s on s.tenant_id = d.tenant_id and s.ref = d.customer_ref
   where d.tenant_id = $1 and d.item_count > 0 order by d.id desc limit 500`,
);
const shown = new Map(
  (
    await read(
      `select p.id, p.context::text as context, p.offer_ids, p.creative_ids, p.channel_ids, p.placement_ids, p.category_ids
       from arbiter.decision_impressions p where p.tenant_id = $1 order by p.id desc limit 2000`,
    )
  ).map((row) => [row.id as string, row]),
);
const outboxes = await read(
  `select events, lane_offers, lane_creatives, lane_channels, lane_impressions,
     jsonb_array_length(events::jsonb) as n
   from arbiter.outbox where tenant_id = $1 and cardinality(lane_offers) > 0 order by id desc limit 200`,
);
const customers = (
  await read(`select customer_id from arbiter.customer_states where tenant_id = $1 order by random() limit 50000`)
).map((row) => row.customer_id as string);
await admin.end();

const idAt = (ids: readonly (string | null)[] | null, place: number): string | null =>
  (ids?.length === 1 ? ids[0] : ids?.[place]) ?? null;

function itemsOf(sampleId: string, id: string): ShownDecision['items'] {
  const row = shown.get(sampleId);
  if (row === undefined) return [];
  return (row.offer_ids as string[]).map((offerId, i) => ({
    id: itemId(id, i + 1),
    rank: i + 1,
    offerId,
    creativeId: idAt(row.creative_ids, i),
    channelId: idAt(row.channel_ids, i),
    placementId: idAt(row.placement_ids, i),
    categoryId: idAt(row.category_ids, i),
    reservedUntil: null,
  }));
}

const path = createHotPath({ url, connections: inFlight });
let next = 0;
let written = 0;
const from = performance.now();
const until = from + Number(seconds) * 1000;

async function batch(): Promise<void> {
  const ids = new Set<string>();
  while (ids.size < batchSize) ids.add(customers[next++ % customers.length]!);
  await path.run(tenantId, async (tx) => {
    const [locked = []] = await tx.send([lockStates(tenantId, [...ids], false), newestVersions(tenantId)]);
    const states: StateRow[] = locked.map(stateRow);
    const at = new Date();
    const decisions: ShownDecision[] = [];
    const rows = states.map((state, i) => {
      const sample = records[(next + i) % records.length]!;
      const id = newDecisionId();
      const { customerId } = state;
      const customerSeq = state.customerSeq + 1;
      decisions.push({ id, customerId, customerSeq, context: null, items: itemsOf(sample.id, id) });
      return {
        id,
        requestId: null,
        source: sample.source,
        sourceId: null,
        customerRef: state.ref,
        customerSeq,
        evidenceNumber: Number(sample.evidence_number),
        itemCount: Number(sample.item_count),
        traceId: null,
        channelId: sample.channel_id,
        engineUs: sample.engine_us,
        minProbability: sample.min_probability,
        emptyCode: sample.empty_code,
        explored: sample.explored,
        resultHash: sample.result_hash,
        body: sample.body,
      };
    });
    const sample = records[0]!;
    const facts = {
      decidedAt: at,
      configVersion: Number(sample.config_version),
      engineVersion: sample.engine_version,
      flowId: sample.flow_id,
      flowVersion: sample.flow_version,
      planHash: sample.plan_hash,
      readSet: Number(sample.read_set),
      countsNumber: null,
    };
    // A row of the outbox holds a batch. The product's full batches are as large as ours.
    const outbox = outboxes[next % outboxes.length]!;
    const lanes = {
      offerIds: outbox.lane_offers,
      creativeIds: outbox.lane_creatives,
      channelIds: outbox.lane_channels,
      impressions: outbox.lane_impressions,
    };
    const saved = states.map(({ customerId, customerSeq, state, base }) => ({
      customerId,
      customerSeq: customerSeq + 1,
      hadBase: base !== null,
      stored: { state, base: undefined },
    }));
    await tx.commit([
      ...saveStates(tenantId, saved),
      insertRecords(tenantId, facts, rows),
      ...insertShown(tenantId, at, decisions),
      insertOutbox(tenantId, outbox.events, lanes, at),
    ]);
    written += rows.length;
  });
}

await Promise.all(
  Array.from({ length: inFlight }, async () => {
    while (performance.now() < until) await batch();
  }),
);
console.log(JSON.stringify({ perSecond: (written * 1000) / (performance.now() - from) }));
await path.close();
process.exit(0);
