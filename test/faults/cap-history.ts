// A checker of caps over history, at every instant of an impression. It reads the customer's rows and the rule, and
// shares no code with the engine or the server.

/** A contact in history. Instants are in epoch ms. */
export interface Contact {
  readonly customerId: string;
  readonly at: number;
  /** Counts until then: a reservation that expired or was released. Null: counts for good. */
  readonly until: number | null;
  /** Reported after its reservation expired: it happened and counts, and may exceed the rule. */
  readonly late: boolean;
}

export interface HistoryRow {
  readonly customer_id: string;
  readonly interaction_type: string;
  /** The item. The impression of a confirmed reservation has the reservation's item. */
  readonly item: string | null;
  readonly reservation_state: string | null;
  readonly at: number;
  readonly expires_at: number | null;
  readonly settled_at: number | null;
  readonly late: boolean;
}

/** SQL of the rows that `contactsOf` reads. */
export const contactRows = `select customer_id, interaction_type, reservation_state,
    recommendation_id || ' ' || rank as item,
    (extract(epoch from occurred_at) * 1000)::float8 as at,
    (extract(epoch from reservation_expires_at) * 1000)::float8 as expires_at,
    (extract(epoch from reservation_settled_at) * 1000)::float8 as settled_at,
    coalesce(details ->> 'late' = 'true', false) as late
  from arbiter.interaction_history
  where interaction_type in ('recommendation', 'impression')`;

/**
 * A confirmed reservation counts until its confirmation; from then on the resulting impression counts. The two are one
 * contact: the impression is dated when it was reported, a little before the reservation is settled.
 */
export function contactsOf(rows: readonly HistoryRow[]): Contact[] {
  const isImpression = (row: HistoryRow) => row.interaction_type === 'impression';
  const shownAt = new Map(rows.filter((row) => isImpression(row) && !row.late).map((row) => [row.item, row.at]));
  const never = Number.POSITIVE_INFINITY;
  return rows.map((row) => ({
    customerId: row.customer_id,
    late: row.late,
    at: row.at,
    until: isImpression(row)
      ? null
      : Math.min(
          row.expires_at ?? never,
          row.settled_at ?? never,
          (row.item !== null && shownAt.get(row.item)) || never,
        ),
  }));
}

/** Contacts of one customer: at most `max` in the window that starts at `from` of an instant. */
export interface CapRule {
  readonly max: number;
  readonly from: (at: number) => number;
}

/** Returns how many contacts count at an instant. */
export const countedAt = (contacts: readonly Contact[], rule: CapRule, at: number): number =>
  contacts.filter((each) => each.at <= at && each.at >= rule.from(at) && (each.until === null || each.until > at))
    .length;

/** Returns what was shown beyond the rule, with its instant. Leaves out late ones. */
export function findExcess(contacts: readonly Contact[], rule: CapRule): string[] {
  const found: string[] = [];
  const inTime = contacts.filter(({ late }) => !late);
  for (const [customerId, own] of Map.groupBy(inTime, (each) => each.customerId)) {
    for (const { at } of own) {
      const counted = countedAt(own, rule, at);
      if (counted > rule.max) {
        found.push(`${customerId} had ${counted} contacts of ${rule.max} at ${new Date(at).toISOString()}`);
      }
    }
  }
  return found;
}

/** Returns the start of an instant's calendar day in a zone, found by checking the date of every quarter of an hour. */
export function dayStartIn(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const quarterMs = 900_000;
  return (at) => {
    const date = format.format(at);
    let start = Math.floor(at / quarterMs) * quarterMs;
    while (format.format(start - quarterMs) === date) start -= quarterMs;
    return start;
  };
}
