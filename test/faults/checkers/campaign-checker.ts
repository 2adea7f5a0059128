// The offline checker of campaign runs. Reads the database and shares no code with the server.

/** Queries as superuser, bypassing row-level security. */
export type CheckerQuery = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** What a run must not exceed. */
export interface CampaignLimits {
  readonly customers: number;
  readonly maxTotalPerRun: number | null;
  readonly maxPerOffer: number | null;
  readonly maxPerChannel: number | null;
  /** Impressions that one offer may have in all, over runs and requests. */
  readonly budget: number | null;
  /** Contacts per customer, over runs and requests. */
  readonly cap: number;
}

interface ResultRow {
  readonly customer_id: string;
  readonly status: string;
  readonly request_id: string | null;
  readonly decision_id: string | null;
  readonly items: { readonly offerId: string; readonly channelId: string; readonly deliveryId?: string }[] | null;
}

/** Returns what is wrong with a run that has ended; empty: nothing. */
export async function checkCampaignRun(query: CheckerQuery, runId: string, limits: CampaignLimits): Promise<string[]> {
  const problems: string[] = [];
  const results = await query<ResultRow>(
    `select customer_id, status, request_id, decision_id,
       (select json_agg(json_build_object('offerId', i.item->'offerId', 'channelId', i.item->'channelId', 'deliveryId', e->'d'))
          from json_array_elements(r.items) e
          left join arbiter.campaign_run_items i
            on i.tenant_id = r.tenant_id and i.run_id = r.run_id and i.key = e->>'k') as items
     from arbiter.campaign_results r where run_id = $1`,
    [runId],
  );
  const customers = new Set(results.map((row) => row.customer_id));
  if (results.length !== limits.customers) problems.push(`${results.length} results for ${limits.customers} customers`);
  if (customers.size !== results.length) problems.push('a customer has two results');
  problems.push(...(await checkDecisions(query, runId, results)));
  problems.push(...checkCaps(results, limits));
  problems.push(...(await checkDeliveries(query, runId, results)));
  const excess = await query<{ customer_id: string; contacts: number }>(
    `select customer_id, count(*)::int as contacts from arbiter.interaction_history
      where interaction_type in ('impression', 'recommendation') group by tenant_id, customer_id having count(*) > $1`,
    [limits.cap],
  );
  for (const row of excess) problems.push(`${row.customer_id} has ${row.contacts} contacts`);
  problems.push(...(await checkBudget(query, runId, limits)));
  const [run] = await query<{ total_items: number; decided: number; next_place: number; members: number }>(
    `select total_items, decided_customers as decided, next_place,
       (select count(*)::int from arbiter.campaign_members m where m.run_id = r.id) as members
     from arbiter.campaign_runs r where id = $1`,
    [runId],
  );
  const items = results.reduce((sum, row) => sum + (row.items?.length ?? 0), 0);
  if (run?.total_items !== items) problems.push(`the run counts ${run?.total_items} items, its results have ${items}`);
  const decided = results.filter(({ status }) => status === 'decided').length;
  if (run?.decided !== decided) problems.push(`the run counts ${run?.decided} customers, its results ${decided}`);
  if (run?.members !== 0) problems.push('members of an ended run are left');
  return problems;
}

/** The offers with a lifetime budget have no more impressions than it allows, and the run took part in using it up. */
async function checkBudget(query: CheckerQuery, runId: string, { budget }: CampaignLimits): Promise<string[]> {
  if (budget === null) return [];
  const rows = await query<{ shown: number; by_run: number }>(
    `select count(*)::int as shown, count(*) filter (where d.source_id = r.id)::int as by_run
       from arbiter.campaign_runs r
       join arbiter.offers o on o.tenant_id = r.tenant_id and o.budget is not null
       join arbiter.interaction_history h on h.tenant_id = r.tenant_id and h.offer_id = o.id
         and h.interaction_type = 'impression'
       left join arbiter.decisions d on d.tenant_id = h.tenant_id and d.id = h.recommendation_id
      where r.id = $1 group by o.id`,
    [runId],
  );
  const [used] = rows;
  if (used === undefined || used.by_run === 0) return ['the run used nothing of the budget'];
  return used.shown > budget ? [`${used.shown} impressions of a budget of ${budget}`] : [];
}

/** Each decided customer has exactly one record of the run, with as many items as were shown. */
async function checkDecisions(query: CheckerQuery, runId: string, results: readonly ResultRow[]): Promise<string[]> {
  const records = await query<{ id: string; request_id: string; item_count: number; shown: number }>(
    `select d.id, d.request_id, d.item_count,
       (select count(*)::int from arbiter.interaction_history h where h.tenant_id = d.tenant_id
          and h.recommendation_id = d.id and h.interaction_type in ('impression', 'recommendation')) as shown
     from arbiter.decisions d where d.source = 'campaign' and d.source_id = $1`,
    [runId],
  );
  const problems: string[] = [];
  const made = results.filter(({ decision_id }) => decision_id !== null);
  if (records.length !== made.length) problems.push(`${records.length} records for ${made.length} decided customers`);
  const byId = new Map(records.map((record) => [record.id, record]));
  for (const { customer_id, decision_id, request_id, items } of made) {
    const record = byId.get(decision_id ?? '');
    const count = items?.length ?? 0;
    if (record?.request_id !== request_id || record?.item_count !== count || record.shown !== count) {
      problems.push(`${customer_id}: record ${JSON.stringify(record)} for ${count} items`);
    }
  }
  return problems;
}

function checkCaps(results: readonly ResultRow[], limits: CampaignLimits): string[] {
  const items = results.flatMap((row) => row.items ?? []);
  const most = (key: (item: (typeof items)[number]) => string): number => {
    const counts = new Map<string, number>();
    for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
    return Math.max(0, ...counts.values());
  };
  const found = {
    maxTotalPerRun: items.length,
    maxPerOffer: most(({ offerId }) => offerId),
    maxPerChannel: most(({ channelId }) => channelId),
  };
  return (['maxTotalPerRun', 'maxPerOffer', 'maxPerChannel'] as const).flatMap((cap) => {
    const limit = limits[cap];
    return limit !== null && found[cap] > limit ? [`${cap}: ${found[cap]} of ${limit}`] : [];
  });
}

/** One delivery per customer, offer and channel, named by its item. */
async function checkDeliveries(query: CheckerQuery, runId: string, results: readonly ResultRow[]): Promise<string[]> {
  const deliveries = await query<{ id: string; key: string }>(
    `select id, concat_ws('/', customer_id, offer_id, channel_id) as key from arbiter.deliveries where run_id = $1`,
    [runId],
  );
  const problems: string[] = [];
  const wanted = results.flatMap(({ customer_id, items }) =>
    (items ?? []).map(({ offerId, channelId, deliveryId }) => ({
      key: [customer_id, offerId, channelId].join('/'),
      deliveryId,
    })),
  );
  const byId = new Map(deliveries.map(({ id, key }) => [id, key]));
  if (new Set(byId.values()).size !== deliveries.length) problems.push('a message was queued twice');
  if (deliveries.length !== wanted.length) problems.push(`${deliveries.length} deliveries for ${wanted.length} items`);
  for (const { key, deliveryId } of wanted) {
    if (byId.get(deliveryId ?? '') !== key) problems.push(`the delivery of ${key} is missing`);
  }
  return problems;
}
